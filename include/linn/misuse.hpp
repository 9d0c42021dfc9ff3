// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_MISUSE_HPP
#define LINN_MISUSE_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// What a pool does when it notices an error of the program: `misuse`, `misuse_kind`,
/// `set_misuse_handler`. Release builds look when objects return to their slabs, once in a
/// magazine; `LINN_CHECKED` builds look at every deallocation.

#include <linn/detail/sync/misuse.hpp>

#endif
#endif
