// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_SET_HPP
#define LINN_SET_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>

#include <functional>
#include <set>

namespace linn::inline LINN_ABI {

/// `std::set` with `linn::allocator`. Its nodes come from pools, one pool a node type.
template <class Key, class Compare = std::less<Key>>
using set = std::set<Key, Compare, allocator<typename detail::checked_key<Key>::type>>;

/// As `set`.
template <class Key, class Compare = std::less<Key>>
using multiset = std::multiset<Key, Compare, allocator<typename detail::checked_key<Key>::type>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
