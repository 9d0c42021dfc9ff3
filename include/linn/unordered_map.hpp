// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_UNORDERED_MAP_HPP
#define LINN_UNORDERED_MAP_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>

#include <functional>
#include <unordered_map>

namespace linn::inline LINN_ABI {

/// `std::unordered_map` with `linn::allocator`. Its nodes come from pools, its buckets from the upstream allocator.
template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, allocator<typename detail::entry<Key, T>::type>>;

/// As `unordered_map`.
template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, allocator<typename detail::entry<Key, T>::type>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
