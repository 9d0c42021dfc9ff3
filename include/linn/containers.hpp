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
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace linn::inline LINN_ABI {

namespace detail {

/// Key, or a stand-in after an error message where no container has such a key.
/// @tparam Plain Key without what makes no difference
template <class Key, class Plain = Key>
struct checked_key {
    using type = std::conditional_t<allocator_value<Plain>, Key, stand_in>;
    static_assert(allocator_value<Plain>,
                  "linn: the key of a container must not be a reference, a function or, in a set, const");
};

/// What a map allocates for.
template <class Key, class T>
struct entry {
    using type = std::pair<const typename checked_key<Key, std::remove_cv_t<Key>>::type, T>;
};

} // namespace detail

template <class T>
using list = std::list<T, allocator<T>>;

template <class T>
using forward_list = std::forward_list<T, allocator<T>>;

template <class Key, class Compare = std::less<Key>>
using set = std::set<Key, Compare, allocator<typename detail::checked_key<Key>::type>>;

template <class Key, class Compare = std::less<Key>>
using multiset = std::multiset<Key, Compare, allocator<typename detail::checked_key<Key>::type>>;

template <class Key, class T, class Compare = std::less<Key>>
using map = std::map<Key, T, Compare, allocator<typename detail::entry<Key, T>::type>>;

template <class Key, class T, class Compare = std::less<Key>>
using multimap = std::multimap<Key, T, Compare, allocator<typename detail::entry<Key, T>::type>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_set =
    std::unordered_set<Key, Hash, Equal, allocator<typename detail::checked_key<Key>::type>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multiset =
    std::unordered_multiset<Key, Hash, Equal, allocator<typename detail::checked_key<Key>::type>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, allocator<typename detail::entry<Key, T>::type>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, allocator<typename detail::entry<Key, T>::type>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
