// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_UNORDERED_SET_HPP
#define LINN_UNORDERED_SET_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/allocator.hpp>

#include <functional>
#include <unordered_set>

namespace linn::inline LINN_ABI {

/// `std::unordered_set` with `linn::allocator`. Its nodes come from pools, its buckets from the upstream allocator.
template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_set =
    std::unordered_set<Key, Hash, Equal, allocator<typename detail::checked_key<Key>::type>>;

/// As `unordered_set`.
template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multiset =
    std::unordered_multiset<Key, Hash, Equal, allocator<typename detail::checked_key<Key>::type>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
