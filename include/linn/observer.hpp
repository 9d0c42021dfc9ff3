// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_OBSERVER_HPP
#define LINN_OBSERVER_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// To be told when a pool takes memory, gives it back, reaches its limit or finds none: `set_pool_observer`,
/// `pool_event`.

#include <linn/detail/sync/observer.hpp>

#endif
#endif
