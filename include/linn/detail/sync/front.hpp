// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_HPP
#define LINN_DETAIL_SYNC_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/slot_cache.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

struct system_pages;
struct coarse_clock;
class mutex;
struct parking;

/// What the engine takes from outside: where pages come from, what time it is, how it locks and waits, what an
/// atomic is. Named here; mutex.hpp says what the last two are.
/// Tests put others in its place, to make pages fail, threads stumble and orders be enumerated.
struct platform {
    using pages = system_pages;
    using clock = coarse_clock;
    using mutex = detail::mutex;
    using parking = detail::parking;
    template <class T>
    using atomic = std::atomic<T>;
};

/// What stands before the array of a front, whose places follow it in memory.
struct front_array {
    front_array* next = nullptr;
    std::size_t count = 0; ///< what it holds, where the thread of its front is gone

    static constexpr std::size_t bytes_for(std::size_t capacity) noexcept {
        return sizeof(front_array) + capacity * sizeof(void*);
    }
    void** entries() noexcept { return reinterpret_cast<void**>(this + 1); }

    /// The one whose entries() is `bottom`.
    static front_array* of(void** bottom) noexcept { return reinterpret_cast<front_array*>(bottom) - 1; }
};

template <class Policy>
class depot;

/// Where other threads find a depot once it is made. A number, because the debug information of one more kind of atomic would take
/// 13 KB in each object file that uses a pool.
template <class Policy>
using depot_place = typename Policy::template atomic<std::uintptr_t>;

/// The cache that one thread has of one pool.
///
/// Trivially destructible: it works during the destruction of thread-local and static objects.
///
/// Fields belong to the owner thread. Statistics in other threads read `top` and `bottom`: see racy_read.
template <class Policy>
struct alignas(cache_line_bytes) front : magazine_cache {
    depot<Policy>* home = nullptr; ///< set while attached
    std::uintptr_t thread = 0;     ///< the owner; see current_thread

    front* next_in_thread = nullptr; ///< fronts that this thread must flush when it exits
    front* next_in_depot = nullptr;  ///< guarded by the depot's lock, like the next
    front* previous_in_depot = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
