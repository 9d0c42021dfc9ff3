// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MUTEX_HPP
#define LINN_DETAIL_SYNC_MUTEX_HPP

#include <linn/config.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// A moment of `precise_clock`, or one of these two.
inline constexpr std::uint64_t at_once = 0;
inline constexpr std::uint64_t whenever = ~std::uint64_t{0};

/// How a thread sleeps until another one changes a number; tests put others in its place.
struct parking {
    template <class T>
    using atomic = std::atomic<T>;
    static constexpr int spins = 64; ///< of a mutex, before it sleeps

    static void wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                     std::uint64_t ns = ~std::uint64_t{0}) noexcept {
        if (race_checked()) { // DRD takes each call of a futex for a store
            sleep_briefly();
        } else {
            futex_wait(&word, expected, ns);
        }
    }

    /// Wakes a thread that sleeps on `word`, which the caller has changed.
    static void wake(atomic<std::uint32_t>& word) noexcept {
        if (!race_checked()) {
            futex_wake_one(&word);
        }
    }

    /// So many nanoseconds from now; `whenever` when that is too far away.
    static std::uint64_t moment_in(std::uint64_t ns) noexcept {
        const std::uint64_t now = precise_clock::now_ns();
        return ns < whenever - now ? now + ns : whenever;
    }

    /// Sleeps while `word` is `expected`; may return early. @returns false when it is `until` already
    static bool sleep(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t until) noexcept {
        const std::uint64_t now = until != whenever ? precise_clock::now_ns() : 0;
        if (now < until) {
            wait(word, expected, until - now);
        }
        return now < until;
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

    bool try_lock() noexcept {
        std::uint32_t expected = unlocked;
        // acquire: pairs with the release in unlock, takes over what the last owner wrote
        return state_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }

    [[LINN_DETAIL_COLD]] void lock() noexcept {
        for (int i = 0; i < Platform::spins; ++i) {
            if (try_lock()) {
                return;
            }
            LINN_DETAIL_SPIN_PAUSE();
        }
        // acquire: pairs with the release in unlock. `contended` makes that unlock wake a thread.
        while (state_.exchange(contended, std::memory_order_acquire) != unlocked) {
            Platform::wait(state_, contended);
        }
    }

    void unlock() noexcept {
        // release: pairs with the acquire in lock and try_lock, publishes the guarded data
        if (state_.exchange(unlocked, std::memory_order_release) == contended) {
            Platform::wake(state_);
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

class module_record;

/// Proof that a fork stops for a lock: only a `fork_stopper` that has joined gives it, and what makes all of them join.
class known_to_forks {
    friend class fork_stopper;
    friend class module_record;
    constexpr known_to_forks() = default;
};

/// An object that takes its locks before a fork, and releases them in the parent and in the child.
class fork_stopper {
public:
    fork_stopper(const fork_stopper&) = delete;
    fork_stopper& operator=(const fork_stopper&) = delete;

    /// After this call every fork stops for the locks of this object. @pre the caller holds none of them
    known_to_forks join() noexcept {
        if (!read_published(joined_))
            [[LINN_DETAIL_UNLIKELY]] { // else a fork that did not find the object is over
            join_(*this);
        }
        return {};
    }

protected:
    using join_function = void (*)(fork_stopper&) noexcept;

    /// @param how makes the object known to the fork handlers, then calls `set_joined(true)`
    constexpr explicit fork_stopper(join_function how) noexcept : join_{how} {}
    ~fork_stopper() = default;

    void set_joined(bool is) noexcept { publish(joined_, is); }

private:
    join_function join_;
    std::atomic<bool> joined_{false};
};

/// The lock of the library. No thread holds it without the knowledge of the fork handlers: it belongs to an object that they
/// stop, and makes that object known to them before it is acquired (but for the lock of their own list). It knows the thread
/// that holds it for a fork: fork handlers of the program that run in that thread meanwhile may use pools, and pass through it.
class mutex : basic_mutex<parking> {
public:
    constexpr explicit mutex(fork_stopper& owner) noexcept : owner_{&owner} {}
    /// For a lock that outlives what proved it.
    constexpr explicit mutex(known_to_forks) noexcept {}

    bool try_lock() noexcept {
        join();
        const bool taken = basic_mutex::try_lock();
        if (taken) {
            note_acquire(this);
        }
        return taken;
    }
    void lock() noexcept {
        join();
        basic_mutex::lock();
        note_acquire(this);
    }
    [[LINN_DETAIL_SLOW]] void unlock() noexcept {
        note_release(this);
        basic_mutex::unlock();
    }

    [[LINN_DETAIL_COLD]] void lock_for_fork() noexcept {
        basic_mutex::lock();
        note_acquire(this);
        set_flag(forking_, current_thread());
    }

    /// Whether the calling thread holds it for a fork.
    [[nodiscard]] bool held_for_fork() const noexcept {
        // relaxed: only the thread itself writes its own number
        return forking_.load(std::memory_order_relaxed) == current_thread();
    }

    /// Does nothing to a lock that was not there yet when the fork began.
    [[LINN_DETAIL_COLD]] void unlock_after_fork() noexcept {
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
    void join() noexcept {
        if (owner_ != nullptr) {
            owner_->join();
        }
    }

    std::atomic<std::uintptr_t> forking_{0};
    fork_stopper* owner_ = nullptr;
};

/// Holds a lock for a scope, or none where it is given null, and tells whether it had to wait for it.
template <class Mutex>
class lock_guard {
public:
    explicit lock_guard(Mutex& m) noexcept : lock_guard{&m} {}
    [[LINN_DETAIL_SLOW]] explicit lock_guard(Mutex* m) noexcept : mutex_{m} {
        if (m == nullptr || m->try_lock()) {
            return;
        }
        if (m->held_for_fork()) { // a fork handler of the program
            mutex_ = nullptr;
            return;
        }
        waited_ = true;
        m->lock();
    }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;
    ~lock_guard() { release(); }
    /// Before the end of the scope.
    [[LINN_DETAIL_ALWAYS_INLINE]] void release() noexcept {
        if (mutex_ != nullptr) {
            mutex_->unlock();
            mutex_ = nullptr;
        }
    }
    [[nodiscard]] bool waited() const noexcept { return waited_; }

private:
    Mutex* mutex_;
    bool waited_ = false;
};

} // namespace linn::inline LINN_ABI::detail

#endif
