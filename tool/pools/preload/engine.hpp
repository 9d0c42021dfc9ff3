// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "range.hpp"
#include "site_index.hpp"

#include <linn/detail/core/pool_description.hpp>
#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/registry.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::pools {

/// Linn's engine over the range: magazines, depots and slabs are those of linn::pool, whose geometry is a value of the
/// run time anyway.
struct range_platform : detail::platform {
    using pages = range_pages;
};
using front = detail::front<range_platform>;
using depot = detail::depot<range_platform>;
using registry = detail::registry<range_platform>;

struct pool_state {
    registry::slot_type made{nullptr};
    detail::pool_description description;
    char name_of_size[24];
    std::uint32_t max_waste;
    std::atomic<std::uint64_t> again_ms; ///< it had no memory: not to be asked before
    std::atomic<std::uint64_t> refused;
    std::atomic<const char*> stopped; ///< why it serves no more; null: it serves
    std::atomic<std::uint32_t> strikes;

    /// The depot, null where none was made.
    depot* get() noexcept {
        return made.load(std::memory_order_acquire); // pairs with the release in registry::make
    }
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

struct pool_wishes {
    std::size_t object_bytes;
    std::size_t align;
    bool is_padded;
    bool wants_huge_pages;
    std::uint32_t max_waste;
};
/// Configures a pool. @pre no thread uses it yet
void describe_pool(std::uint32_t number, std::string_view name, const pool_wishes& wishes) noexcept;
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

/// The same at the end of a hook, by a jump: then it returns to the program, which is the caller.
void give_slowly_from_hook(void* block) noexcept;

/// @pre is_in_range(block)
[[gnu::always_inline]] inline void give_from_hook(void* block) noexcept {
    const std::ptrdiff_t known = range.pool_of_chunk[chunk_of(block)].load(std::memory_order_relaxed);
    if (!me.fronts[known - 1].try_push(block)) [[unlikely]] {
        give_slowly_from_hook(block);
    }
}

/// @pre is_in_range(block)
[[gnu::always_inline]] inline void give(void* block, const void* caller) noexcept {
    const std::ptrdiff_t known = range.pool_of_chunk[chunk_of(block)].load(std::memory_order_relaxed);
    if (!me.fronts[known - 1].try_push(block)) [[unlikely]] {
        give_slowly(block, caller);
    }
}

} // namespace linn::tool::pools
