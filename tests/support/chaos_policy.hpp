// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_CHAOS_POLICY_HPP
#define LINN_TESTS_SUPPORT_CHAOS_POLICY_HPP

#include "random.hpp"

#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace linn_test {

/// Gives the processor away now and then, so that threads meet in places where they seldom would.
inline void stumble() noexcept {
    static std::atomic<std::uint64_t> seeds{1};
    thread_local random_source random{seeds.fetch_add(1)};
    const std::size_t dice = random.below(64);
    if (dice == 0) {
        std::this_thread::yield();
    } else if (dice < 4) {
        for (std::size_t i = random.below(200); i != 0; --i) {
            linn::detail::spin_pause();
        }
    }
}

/// The real lock between two stumbles.
class chaos_mutex {
public:
    template <class Owner> // which no fork asks
    constexpr explicit chaos_mutex(Owner&&) noexcept {}

    bool try_lock() noexcept {
        stumble();
        return real_.try_lock();
    }
    void lock() noexcept {
        stumble();
        real_.lock();
        stumble();
    }
    void unlock() noexcept {
        real_.unlock();
        stumble();
    }
    void reset() noexcept { real_.reset(); }

private:
    linn::detail::fork_mutex real_;
};

/// The real atomic between two stumbles.
template <class T>
class chaos_atomic {
public:
    constexpr chaos_atomic() = default;
    constexpr chaos_atomic(T value) noexcept : real_{value} {}

    T load(std::memory_order order) const noexcept {
        stumble();
        return real_.load(order);
    }
    void store(T value, std::memory_order order) noexcept {
        stumble();
        real_.store(value, order);
        stumble();
    }
    T exchange(T value, std::memory_order order) noexcept {
        stumble();
        return real_.exchange(value, order);
    }
    T fetch_add(T value, std::memory_order order) noexcept {
        stumble();
        return real_.fetch_add(value, order);
    }
    T fetch_sub(T value, std::memory_order order) noexcept {
        stumble();
        return real_.fetch_sub(value, order);
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                               std::memory_order failure) noexcept {
        stumble();
        return real_.compare_exchange_weak(expected, value, success, failure);
    }

private:
    std::atomic<T> real_{};
};

/// Asked in the middle of critical sections, which makes it the place to stay there for long. It runs
/// fast, so that memory goes back while others want it.
struct chaos_clock {
    static inline std::atomic<std::uint64_t> time{1};
    static std::uint64_t now_ms() noexcept {
        stumble();
        std::this_thread::yield();
        return time.fetch_add(100);
    }
};

struct chaos_policy {
    using pages = linn::detail::system_pages;
    using clock = chaos_clock;
    using mutex = chaos_mutex;
    template <class T>
    using atomic = chaos_atomic<T>;
};

} // namespace linn_test

#endif
