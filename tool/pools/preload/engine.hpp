// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compiled_plan.hpp"

#include <linn/detail/core/geometry.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/registry.hpp>

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
struct range_pages : detail::system_pages {
    static void* map(std::size_t bytes, std::size_t align) noexcept;
    static void unmap(void* p, std::size_t bytes, std::size_t align) noexcept;
};

/// Linn's engine over the range: magazines, depots and slabs are those of linn::pool, whose geometry is a value of the
/// run time anyway.
struct range_platform : detail::platform {
    using pages = range_pages;
};
using front = detail::front<range_platform>;
using depot = detail::depot<range_platform>;
using registry = detail::registry<range_platform>;

/// Pools of a process, and the number that stands for none.
inline constexpr std::uint64_t pool_numbers = 64;

struct pool_state {
    registry::slot_type made{0};
    detail::pool_description description;
    char name_of_size[24];
    std::atomic<std::uint64_t> again_ms; ///< it had no memory: not to be asked before
    std::atomic<std::uint64_t> refused;

    /// The depot, null where none was made.
    depot* get() noexcept { return detail::published_depot<range_platform>(made); }
};
[[gnu::visibility("hidden")]] extern pool_state pools[pool_numbers];

/// What a thread knows. All zero but for `fronts`, which then are empty to take and full to give, and never written.
struct thread_state {
    front* fronts;  ///< one each pool; the one before them stays zero, for chunks whose pool is not known
    bool is_inside; ///< on a slow path: what it allocates itself is general memory, and a signal has to wait
    bool is_over;   ///< its caches are flushed for good
};
[[gnu::visibility("hidden")]] extern constinit thread_local thread_state me;

/// While it lives, the thread is on a slow path, and errno is not the program's business.
class slow_path {
public:
    slow_path() noexcept;
    slow_path(const slow_path&) = delete;
    slow_path& operator=(const slow_path&) = delete;
    ~slow_path();

private:
    int errno_;
    bool was_inside_;
};

/// How many pools there are, at the start; makes none.
void set_pool_count(std::uint32_t count) noexcept;
std::uint32_t pool_count() noexcept;

/// Configures a pool as planned, but for the name. @pre no thread uses it yet
void describe_pool(std::uint32_t number, std::string_view name, const planned_pool& planned) noexcept;
/// Makes its depot. False when there is no memory.
bool make_pool(std::uint32_t number) noexcept;

/// A block when the thread's cache is empty; null when the general allocator has to serve.
/// @param caller who asks, for the reports of checked mode
void* refill(std::uint64_t number, const void* caller) noexcept;
/// Takes a block back when the thread's cache has no room, or does not know the pool.
void give_slowly(void* block, const void* caller) noexcept;
/// The number of the pool of a block. @pre is_in_range(block)
std::uint32_t pool_of(const void* block) noexcept;

/// Gives all memory back that no block occupies; see depot::trim. @returns bytes
std::size_t trim_pools() noexcept;

/// In checked mode, reports what is wrong with slots.
void check_pools() noexcept;

[[gnu::always_inline]] inline void* take(std::uint64_t number, const void* caller) noexcept {
    void* block = nullptr;
    return me.fronts[number].try_pop(block) ? block : refill(number, caller);
}

/// @pre is_in_range(block)
[[gnu::always_inline]] inline void give(void* block, const void* caller) noexcept {
    const std::ptrdiff_t known = range.pool_of_chunk[chunk_of(block)].load(std::memory_order_relaxed);
    if (!me.fronts[known - 1].try_push(block)) [[unlikely]] {
        give_slowly(block, caller);
    }
}

// -- statistics.cpp: what is told of them ----------------------------------------------------------

/// What start-up learned, for the statistics.
struct facts {
    const char* plan = nullptr; ///< the file; null: none
    const char* mode = "on";
    const char* problem = nullptr; ///< why nothing is pooled at all
};
[[gnu::visibility("hidden")]] extern facts about;

/// @param pattern LINN_POOLS_STATS: `%p` in it is the process id; null: nothing is written
void keep_statistics_in(const char* pattern) noexcept;
/// Has them written when a signal arrives too. False when the name is none, or the program handles it already.
bool write_statistics_at(const char* signal_name) noexcept;

/// Writes them now: a file that appears whole or not at all.
void write_statistics() noexcept;

/// In the child of a fork, where another thread may have been at it.
void forget_writing_of_parent() noexcept;

/// Writes them if a signal found its thread on a slow path.
void write_wanted_statistics() noexcept;

/// One line on standard error. Allocates nothing, and keeps errno.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

} // namespace linn::tool::pools
