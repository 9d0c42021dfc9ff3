// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_MAP_HPP
#define LINN_MAP_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>

#include <functional>
#include <map>

namespace linn::inline LINN_ABI {

/// `std::map` with `linn::allocator`. Its nodes come from pools, one pool a node type.
template <class Key, class T, class Compare = std::less<Key>>
using map = std::map<Key, T, Compare, allocator<typename detail::entry<Key, T>::type>>;

/// As `map`.
template <class Key, class T, class Compare = std::less<Key>>
using multimap = std::multimap<Key, T, Compare, allocator<typename detail::entry<Key, T>::type>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
