// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_CONTAINERS_HPP
#define LINN_CONTAINERS_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// The node containers of the standard library with `linn::allocator`: their nodes come from pools,
/// one pool a node type. The types are the standard ones, so everything that takes a `std::map` of
/// another allocator takes these. Each has a header of its own, which compiles faster.
///
/// There is no `linn::vector` and no `linn::deque`: they allocate arrays, which no object pool helps.

// IWYU pragma: begin_exports
#include <linn/forward_list.hpp>
#include <linn/list.hpp>
#include <linn/map.hpp>
#include <linn/set.hpp>
#include <linn/unordered_map.hpp>
#include <linn/unordered_set.hpp>
// IWYU pragma: end_exports

#endif
#endif
