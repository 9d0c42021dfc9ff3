// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/detail/os/system.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::pools {

/// Slabs of all pools lie in one range of addresses, each at the start of a chunk of its own: so one comparison tells a
/// pool's block from any other, and the number of its chunk leads to its pool without a look at the slab's header, which
/// lies at the same address bits in every slab and would compete for one cache set.
inline constexpr std::size_t chunk_bytes = std::size_t{2} << 20;
inline constexpr unsigned chunk_shift = 21;
inline constexpr std::size_t most_chunks = (std::size_t{64} << 30) / chunk_bytes;

struct address_range {
    // Both 0 until there is a range; then it never moves, and gets smaller at most once. The base is set before the program
    // begins.
    std::uintptr_t base;
    std::atomic<std::size_t> bytes;
    /// The number of the chunk's pool, plus one; 0: not known yet, its slab says.
    std::atomic<std::uint8_t> pool_of_chunk[most_chunks];
};
[[gnu::visibility("hidden")]] extern address_range range;

[[gnu::always_inline]] inline bool is_in_range(const void* p) noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - range.base < range.bytes.load(std::memory_order_relaxed);
}

/// @pre is_in_range(p)
[[gnu::always_inline]] inline std::size_t chunk_of(const void* p) noexcept {
    return (reinterpret_cast<std::uintptr_t>(p) - range.base) >> chunk_shift;
}

/// Whether a slab was ever mapped there.
bool is_used_chunk(std::size_t chunk) noexcept;

/// Reserves the range: 64 GiB, or less where that is refused or would be a large part of the process's limit.
/// @returns false when there is none
bool reserve_range() noexcept;

/// Gives the addresses back that no slab has had: pools have what they have from now on. For a program that locks all of its
/// memory, where each address counts.
void give_up_rest_of_range() noexcept;

/// What the slabs may take together; 0: no limit.
void limit_slabs(std::uint64_t bytes) noexcept;
/// What they take.
std::size_t slab_bytes() noexcept;

/// Where the engine gets its pages: slabs in the range, the rest from the system.
struct range_pages {
    static constexpr bool zeroed = true;
    static void* map(std::size_t bytes, std::size_t align) noexcept;
    static void unmap(void* p, std::size_t bytes, std::size_t align) noexcept;
    static bool discard(void* p, std::size_t bytes) noexcept {
        return detail::system_pages::discard(p, bytes);
    }
    static void prefer_huge(void* p, std::size_t bytes) noexcept {
        detail::system_pages::prefer_huge(p, bytes);
    }
    static bool readable(const void* p) noexcept { return detail::system_pages::readable(p); }
};

} // namespace linn::tool::pools
