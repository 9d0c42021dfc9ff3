// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_FORWARD_LIST_HPP
#define LINN_FORWARD_LIST_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>

#include <forward_list>

namespace linn::inline LINN_ABI {

/// `std::forward_list` with `linn::allocator`. Its nodes come from pools, one pool a node type.
template <class T>
using forward_list = std::forward_list<T, allocator<T>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
