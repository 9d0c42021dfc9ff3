// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/ticks.hpp"

#include <linn/detail/sync/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::bench::saturation {

/// One visit of a lock by a thread, in ticks.
struct lock_visit {
    std::uint32_t lock;  ///< its number
    std::uint32_t think; ///< since the thread left the last lock; waiting for this one is not in it
    std::uint32_t held;
};

/// What was seen of one lock. It guards its own record.
struct lock_record {
    std::uint64_t held = 0; ///< ticks
    std::uint64_t visits = 0;
    std::uint64_t cut =
        0; ///< visits that lasted too long: the thread lost its CPU meanwhile; not in the others
};

/// The visits of one thread, in their order, as far as there is room.
struct visit_list {
    lock_visit* next = nullptr;
    lock_visit* end = nullptr;
    std::uint64_t left_at = 0; ///< when the thread left a lock last; 0: it has not visited any
    bool asked = false;        ///< for room
};

/// All that timed locks see, for the whole process. Locks that come when there is no more room share the last record.
struct lock_watch {
    static constexpr std::size_t most_locks = 512;
    /// About 100 us. No section that the programs enter lasts so long; a time slice lasts milliseconds.
    static constexpr std::uint64_t most_held = 300'000;
    static inline lock_record records[most_locks];
    static inline std::atomic<std::uint32_t> locks{1}; ///< so many records are in use; the first has no lock
    static inline double cost = 0;                     ///< ticks that reading the counter adds to each visit

    /// Gives the calling thread room for its visits, at its first one. Null: they are not recorded.
    static inline void (*give_room)(visit_list&) = nullptr;
    static inline constinit thread_local visit_list visits_of_thread{};

    /// The counter without fences: the locked instructions of the lock are enough.
    static std::uint64_t now() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        return __rdtsc();
#else
        return tool::ticks();
#endif
    }

    /// Learns what the readings cost. @pre no lock is timed meanwhile
    static void calibrate() noexcept {
        std::uint64_t least = ~std::uint64_t{0};
        for (int i = 0; i != 1'000; ++i) {
            const std::uint64_t begin = now();
            const std::uint64_t took = now() - begin;
            least = took < least ? took : least;
        }
        cost = static_cast<double>(least);
    }

    static std::uint32_t enter() noexcept {
        const std::uint32_t number = locks.fetch_add(1, std::memory_order_relaxed);
        return number < most_locks ? number : most_locks - 1;
    }
};

/// The lock of the library between two readings of the counter.
class timed_mutex {
public:
    constexpr explicit timed_mutex(linn::detail::fork_stopper& owner) noexcept : real_{owner} {}
    constexpr explicit timed_mutex(linn::detail::known_to_forks owner) noexcept : real_{owner} {}

    bool try_lock() noexcept {
        if (!real_.try_lock()) {
            return false;
        }
        begin(0);
        return true;
    }

    void lock() noexcept {
        const std::uint64_t asked = lock_watch::now();
        real_.lock();
        begin(lock_watch::now() - asked);
    }

    void unlock() noexcept {
        const std::uint64_t end = lock_watch::now();
        const std::uint64_t held = end - since_;
        lock_record& r = lock_watch::records[number_];
        visit_list& own = lock_watch::visits_of_thread;
        if (held > lock_watch::most_held) {
            ++r.cut;
        } else {
            r.held += held;
            ++r.visits;
            if (own.next != own.end) {
                *own.next++ = {number_, think_, static_cast<std::uint32_t>(held)};
            }
        }
        own.left_at = end;
        real_.unlock();
    }

    void reset() noexcept { real_.reset(); }
    void lock_for_fork() noexcept { real_.lock_for_fork(); }
    [[nodiscard]] bool held_for_fork() const noexcept { return real_.held_for_fork(); }
    void unlock_after_fork() noexcept { real_.unlock_after_fork(); }

private:
    void begin(std::uint64_t waited) noexcept {
        if (number_ == 0) {
            number_ = lock_watch::enter();
        }
        visit_list& own = lock_watch::visits_of_thread;
        if (!own.asked) {
            own.asked = true;
            if (lock_watch::give_room != nullptr) {
                lock_watch::give_room(own);
            }
        }
        since_ = lock_watch::now();
        const std::uint64_t think = own.left_at == 0 ? 0 : since_ - own.left_at - waited;
        think_ = static_cast<std::uint32_t>(think < 0xffffffffu ? think : 0xffffffffu);
    }

    linn::detail::mutex real_;
    std::uint32_t number_ = 0;
    std::uint32_t think_ = 0;
    std::uint64_t since_ = 0;
};

/// The engine of the library with timed locks.
struct timed_platform : linn::detail::platform {
    using mutex = timed_mutex;
};

} // namespace linn::bench::saturation
