// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MUTEX_HPP
#define LINN_DETAIL_SYNC_MUTEX_HPP

#include <linn/config.hpp>
#include <linn/detail/os/futex.hpp>
#include <linn/detail/os/thread_barrier.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// What a mutex takes from outside; tests put others in its place.
struct mutex_platform {
    template <class T>
    using atomic = std::atomic<T>;
    static constexpr int spins = 64;

    static void wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
        if (race_checked()) { // DRD takes each call of a futex for a store
            sleep_briefly();
        } else if constexpr (has_futex) {
            futex_wait(&word, expected);
        } else {
            word.wait(expected, std::memory_order_relaxed);
        }
    }
    static void wake_one(atomic<std::uint32_t>& word) noexcept {
        if (race_checked()) {
            return;
        }
        if constexpr (has_futex) {
            futex_wake_one(&word);
        } else {
            word.notify_one();
        }
    }
};

/// A lock of four bytes: constant-initialised, trivially destructible, usable before main and after
/// it, and resettable in the child of a fork. std::mutex promises none of these on every system.
/// Spins for a moment, since the sections it guards are short, then sleeps, so that it is safe
/// under real-time scheduling.
///
/// @source Drepper: Futexes are tricky, 2011, section 5, the third mutex
template <class Platform>
class basic_mutex {
public:
    constexpr basic_mutex() = default;
    basic_mutex(const basic_mutex&) = delete;
    basic_mutex& operator=(const basic_mutex&) = delete;

    bool try_lock() noexcept {
        std::uint32_t expected = unlocked;
        // acquire: pairs with the release in unlock, takes over what the last owner wrote
        return state_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }

    void lock() noexcept {
        for (int i = 0; i < Platform::spins; ++i) {
            if (try_lock()) {
                return;
            }
            spin_pause();
        }
        // acquire: pairs with the release in unlock. `contended` makes that unlock wake a thread.
        while (state_.exchange(contended, std::memory_order_acquire) != unlocked) {
            Platform::wait(state_, contended);
        }
    }

    void unlock() noexcept {
        // release: pairs with the acquire in lock and try_lock, publishes the guarded data
        if (state_.exchange(unlocked, std::memory_order_release) == contended) {
            Platform::wake_one(state_);
        }
    }

    /// For the child of a fork, where threads that slept on it no longer exist.
    void reset() noexcept { state_.store(unlocked, std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t unlocked = 0;
    static constexpr std::uint32_t locked = 1;
    static constexpr std::uint32_t contended = 2;

    typename Platform::template atomic<std::uint32_t> state_{unlocked};
};

/// The lock of the library. It knows the thread that holds it for a fork: fork handlers of the program that run in that thread
/// meanwhile may use pools, and pass through it.
class mutex : public basic_mutex<mutex_platform> {
public:
    bool try_lock() noexcept {
        const bool taken = basic_mutex::try_lock();
        if (taken) {
            note_acquire(this);
        }
        return taken;
    }
    void lock() noexcept {
        basic_mutex::lock();
        note_acquire(this);
    }
    void unlock() noexcept {
        note_release(this);
        basic_mutex::unlock();
    }

    void lock_for_fork() noexcept {
        lock();
        set_flag(forking_, current_thread());
    }

    /// Whether the calling thread holds it for a fork.
    [[nodiscard]] bool held_for_fork() const noexcept {
        // relaxed: only the thread itself writes its own number
        return forking_.load(std::memory_order_relaxed) == current_thread();
    }

    /// Does nothing to a lock that was not there yet when the fork began.
    void unlock_after_fork() noexcept {
        if (held_for_fork()) {
            set_flag(forking_, std::uintptr_t{0});
            unlock();
        }
    }

    /// For the child of a fork.
    void reset() noexcept {
        forking_.store(0, std::memory_order_relaxed);
        basic_mutex::reset();
    }

private:
    std::atomic<std::uintptr_t> forking_{0};
};

} // namespace linn::inline LINN_ABI::detail

#endif
