// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::pools {

/// Which pool serves a call: an open table of one word an entry, the return address, the size and the number of the pool.
/// A word is read whole, so a reader needs no lock while another thread changes the table, and never sees the pool
/// of one call with the size of another.
///
/// ```
///  63                    16 15        6 5         0
///  | return address, 48 bits | size     | pool      |      0: empty
/// ```
///
/// At most a quarter of the entries is used: a call that is not planned mostly meets an empty one at once.
struct site_index {
    const std::atomic<std::uint64_t>* entries;
    std::uint32_t shift; ///< 64 - log2 of how many there are
    std::uint32_t last;  ///< how many there are, less one
};

inline constexpr std::uint64_t pool_numbers = 64;
inline constexpr std::uint64_t general_number =
    62; ///< the call is planned, but the general allocator serves it
inline constexpr std::uint64_t wrapper_number = 63; ///< a wrapper's call: its caller tells
inline constexpr std::uint64_t no_number = 64;

/// The low 16 bits are 0 but for the size.
[[gnu::always_inline]] inline std::uint64_t key_of(std::uintptr_t return_address,
                                                   std::size_t bytes) noexcept {
    return std::uint64_t{return_address} << 16 | bytes << 6;
}

/// Stands for the return address of a token: an address that no program has.
[[gnu::always_inline]] inline std::uintptr_t address_of_token(std::uint64_t token) noexcept {
    return (token * 0x9e3779b97f4a7c15u) >> 17 | std::uintptr_t{1} << 47;
}

[[gnu::always_inline]] inline std::size_t home_of(std::uint64_t key, std::uint32_t shift) noexcept {
    return (key * 0x9e3779b97f4a7c15u) >> shift;
}

struct found_entry {
    std::uint64_t number; ///< no_number: there is none
    std::size_t at;
};

/// The entry where a call is looked for first, and nearly always stands.
[[gnu::always_inline]] inline found_entry first_entry(const site_index& index, std::uint64_t key) noexcept {
    const std::size_t i = home_of(key, index.shift);
    return {index.entries[i].load(std::memory_order_relaxed) - key,
            i}; // no_number or more: it is another's, or empty
}

/// @complexity one entry, nearly always
[[gnu::always_inline]] inline found_entry find(const site_index& index, std::uint64_t key) noexcept {
    for (std::size_t i = home_of(key, index.shift);; i = (i + 1) & index.last) {
        const std::uint64_t entry = index.entries[i].load(std::memory_order_relaxed);
        if (const std::uint64_t number = entry - key; number < pool_numbers) {
            return {number, i};
        }
        if (entry == 0) {
            return {no_number, 0};
        }
    }
}

/// What is planned for a size: a bit each 16 bytes, none for more than largest_planned_size bytes and for none at all.
[[gnu::always_inline]] inline bool covers(std::uint64_t sizes, std::size_t bytes) noexcept {
    const std::size_t sixteens = (bytes + 15) / 16;
    return sixteens < 64 && (sizes >> sixteens & 1) != 0;
}

} // namespace linn::tool::pools
