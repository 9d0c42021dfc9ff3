// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_MODEL_POLICY_HPP
#define LINN_TESTS_MODEL_POLICY_HPP

#include "model.hpp"

#include <linn/detail/sync/idle_core.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace model {

/// Members are not instrumented: what they do is told to the engine as a whole.
#define LINN_MODEL_PLAIN __attribute__((no_sanitize("thread"), always_inline))

template <class T>
class atomic {
public:
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word));

    LINN_MODEL_PLAIN constexpr atomic() noexcept : atomic{T{}} {}
    LINN_MODEL_PLAIN constexpr atomic(T value) noexcept : value_{value} {
        if (!std::is_constant_evaluated()) {
            atomic_construct(this, to_word(value));
        }
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    LINN_MODEL_PLAIN T load(std::memory_order order, const where& here = where::current()) const noexcept {
        return from_word(atomic_load(this, sizeof(T), order, here));
    }
    LINN_MODEL_PLAIN void store(T value, std::memory_order order,
                                const where& here = where::current()) noexcept {
        atomic_store(this, sizeof(T), to_word(value), order, here);
    }
    LINN_MODEL_PLAIN T exchange(T value, std::memory_order order,
                                const where& here = where::current()) noexcept {
        return from_word(atomic_update(this, sizeof(T), change::exchange, to_word(value), order, here));
    }
    LINN_MODEL_PLAIN T fetch_add(T value, std::memory_order order,
                                 const where& here = where::current()) noexcept {
        return from_word(atomic_update(this, sizeof(T), change::add, to_word(value), order, here));
    }
    LINN_MODEL_PLAIN T fetch_sub(T value, std::memory_order order,
                                 const where& here = where::current()) noexcept {
        return from_word(atomic_update(this, sizeof(T), change::subtract, to_word(value), order, here));
    }
    LINN_MODEL_PLAIN bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                                                  std::memory_order failure,
                                                  const where& here = where::current()) noexcept {
        word e = to_word(expected);
        const bool done = atomic_compare_exchange(this, sizeof(T), e, to_word(value), success, failure, here);
        expected = from_word(e);
        return done;
    }

private:
    LINN_MODEL_PLAIN static word to_word(T value) noexcept {
        word w = 0;
        __builtin_memcpy(&w, &value, sizeof value);
        return w;
    }
    LINN_MODEL_PLAIN static T from_word(word w) noexcept {
        T value;
        __builtin_memcpy(&value, &w, sizeof value);
        return value;
    }

    T value_;
};

/// A lock as the language promises it: exclusion, and order between owners. The real one is a scenario
/// of its own.
template <bool TryLockWaits>
class basic_mutex {
public:
    LINN_MODEL_PLAIN constexpr basic_mutex() noexcept {
        if (!std::is_constant_evaluated()) {
            atomic_construct(this, 0);
        }
    }
    template <class Owner> // the model has no fork
    LINN_MODEL_PLAIN constexpr explicit basic_mutex(Owner&&) noexcept : basic_mutex{} {}
    basic_mutex(const basic_mutex&) = delete;
    basic_mutex& operator=(const basic_mutex&) = delete;

    LINN_MODEL_PLAIN bool try_lock() noexcept { return mutex_try_lock(this, TryLockWaits); }
    LINN_MODEL_PLAIN void lock() noexcept { mutex_lock(this); }
    LINN_MODEL_PLAIN void unlock() noexcept { mutex_unlock(this); }
    LINN_MODEL_PLAIN void reset() noexcept {}
    LINN_MODEL_PLAIN void lock_for_fork() noexcept {}
    LINN_MODEL_PLAIN void unlock_after_fork() noexcept {}
    LINN_MODEL_PLAIN static bool held_for_fork() noexcept { return false; }

private:
    std::uint32_t unused_ = 0;
};

struct pages {
    static constexpr bool zeroed = true;

    static constexpr std::size_t offset_step() noexcept { return 0; }

    static void* map(std::size_t bytes, std::size_t align, std::size_t = 0) noexcept {
        return memory_get(bytes, align);
    }
    static void unmap(void* p, std::size_t bytes, std::size_t) noexcept { memory_put(p, bytes); }
    static bool discard(void* p, std::size_t bytes) noexcept {
        memory_clear(p, bytes);
        return true;
    }
    static bool readable(const void* p) noexcept { return in_memory(p); }
    static void prefer_huge(void*, std::size_t) noexcept {}
    static void prefer_small(void*, std::size_t) noexcept {}
};

/// Runs fast, so that memory goes back while others want it. The time of a thread is what it did itself, so
/// that it does not depend on the schedule.
struct clock {
    static std::uint64_t now_ms() noexcept;
};

#undef LINN_MODEL_PLAIN

struct parking {
    /// A time to wait is over at once: that a thread is slow is among the schedules anyway.
    static bool sleep(atomic<std::uint32_t>& place, std::uint32_t expected, std::uint64_t until) noexcept {
        if (until != ~std::uint64_t{0}) {
            return false;
        }
        futex_wait(&place, expected);
        return true;
    }
    static void wake(atomic<std::uint32_t>& place) noexcept { futex_wake_one(&place); }
};

struct policy {
    using pages = model::pages;
    using clock = model::clock;
    using mutex = basic_mutex<true>;
    using parking = model::parking;
    template <class T>
    using atomic = model::atomic<T>;
};

} // namespace model

/// Each object with caches has a place for each number: fewer places, faster executions.
template <>
inline constexpr std::uint32_t linn::detail::most_thread_indices<model::policy> = 64;

/// Threads cache again at once after a steal: more steals in fewer calls.
template <>
inline constexpr std::size_t linn::detail::shared_after_steal<model::policy> = 0;

namespace model {

/// Hands one object to another thread.
class box {
public:
    void send(void* p) { place_.store(p, std::memory_order_release); }
    void* receive() {
        void* p = nullptr;
        while (p == nullptr) {
            p = place_.load(std::memory_order_acquire);
        }
        return p;
    }

private:
    policy::atomic<void*> place_{nullptr};
};

/// For scenarios with caches that threads have by their numbers.
inline void share_thread_numbers() noexcept {
    using table = linn::detail::thread_index_table<policy>;
    share(&table::process(), sizeof(table));
    make_local(&linn::detail::this_thread_index<policy>, sizeof linn::detail::this_thread_index<policy>);
}

/// What a thread does with its number when it exits. A fiber does not end as a thread does.
inline void leave_thread_number() noexcept {
    using table = linn::detail::thread_index_table<policy>;
    std::uint32_t& number = linn::detail::this_thread_index<policy>;
    if (number != 0 && number <= table::most) {
        table::process().give_back(number - 1);
    }
    number = table::most + 1;
}

} // namespace model

#endif
