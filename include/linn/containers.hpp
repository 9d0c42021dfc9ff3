// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_CONTAINERS_HPP
#define LINN_CONTAINERS_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// The node containers of the standard library with `linn::allocator`: their nodes come from pools,
/// one pool a node type. The types are the standard ones, so everything that takes a `std::map` of
/// another allocator takes these.
///
/// There is no `linn::vector` and no `linn::deque`: they allocate arrays, which no object pool helps.

#include <linn/allocator.hpp>

#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace linn::inline LINN_ABI {

template <class T>
using list = std::list<T, allocator<T>>;

template <class T>
using forward_list = std::forward_list<T, allocator<T>>;

template <class Key, class Compare = std::less<Key>>
using set = std::set<Key, Compare, allocator<Key>>;

template <class Key, class Compare = std::less<Key>>
using multiset = std::multiset<Key, Compare, allocator<Key>>;

template <class Key, class T, class Compare = std::less<Key>>
using map = std::map<Key, T, Compare, allocator<std::pair<const Key, T>>>;

template <class Key, class T, class Compare = std::less<Key>>
using multimap = std::multimap<Key, T, Compare, allocator<std::pair<const Key, T>>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_set = std::unordered_set<Key, Hash, Equal, allocator<Key>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multiset = std::unordered_multiset<Key, Hash, Equal, allocator<Key>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_map = std::unordered_map<Key, T, Hash, Equal, allocator<std::pair<const Key, T>>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multimap = std::unordered_multimap<Key, T, Hash, Equal, allocator<std::pair<const Key, T>>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
