// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RACE_CHECKS_HPP
#define LINN_DETAIL_SYNC_RACE_CHECKS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>

#include <atomic>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

// Helgrind and DRD see instructions, not atomics. They take a plain store to an atomic for a race with its loads, though no
// exchange, and an order between threads they know only from pthread functions and from what they are told. So the library
// tells them of its locks and of each object that it publishes, and where threads share an atomic it is written by exchange.
// Fronts, where exchanges would cost too much, are not used then.

enum class race_checks : unsigned char { unknown, off, on };
LINN_DETAIL_HIDDEN inline constinit std::atomic<race_checks> race_checks_here{race_checks::unknown};

[[LINN_DETAIL_COLD]] LINN_DETAIL_HIDDEN inline bool ask_for_race_checks() noexcept {
    const bool on = running_on_race_checker();
    race_checks_here.exchange(on ? race_checks::on : race_checks::off, std::memory_order_relaxed);
    return on;
}

/// Whether Helgrind or DRD runs the program. @complexity a load and a branch
[[LINN_DETAIL_ALWAYS_INLINE]] inline bool race_checked() noexcept {
    return race_checks_here.load(std::memory_order_relaxed) != race_checks::off && ask_for_race_checks();
}

/// How a pool or a resource serves in this process. @param limited whether it has a limit that all threads share
[[LINN_DETAIL_COLD]] inline service service_here(bool limited) noexcept {
    if (sanitizer_bypass || running_on_memcheck() || race_checked()) {
        return service::bypass;
    }
    return checked_build || limited ? service::direct : service::cached;
}

/// What note_acquire and note_release do while there may be a race checker.
[[LINN_DETAIL_COLD]] LINN_DETAIL_HIDDEN inline void tell_race_checker(const void* where,
                                                                      bool acquires) noexcept {
    if (ask_for_race_checks()) {
        // Odd, because DRD takes an address for one kind of object only, and the caller may have a mutex there later.
        tell_happens(acquires, reinterpret_cast<std::uintptr_t>(where) | 1U);
    }
}

/// After an acquire that pairs with a release of `where`.
[[LINN_DETAIL_ALWAYS_INLINE]] inline void note_acquire(const void* where) noexcept {
    if (race_checks_here.load(std::memory_order_relaxed) != race_checks::off) [[LINN_DETAIL_UNLIKELY]] {
        tell_race_checker(where, true);
    }
}

/// Before a release of `where`.
[[LINN_DETAIL_ALWAYS_INLINE]] inline void note_release(const void* where) noexcept {
    if (race_checks_here.load(std::memory_order_relaxed) != race_checks::off) [[LINN_DETAIL_UNLIKELY]] {
        tell_race_checker(where, false);
    }
}

/// Reads what `publish` wrote, and what it refers to. @complexity that of an acquire
template <class Atomic>
[[LINN_DETAIL_ALWAYS_INLINE]] inline auto read_published(const Atomic& from) noexcept {
    // acquire: pairs with the release in publish
    const auto value = from.load(std::memory_order_acquire);
    note_acquire(&from);
    return value;
}

template <class Atomic, class T>
void publish(Atomic& to, T value) noexcept {
    note_release(&to);
    // release: pairs with the acquire in read_published
    to.exchange(value, std::memory_order_release);
}

/// Writes a flag that other threads read without a lock.
template <class Atomic, class T>
void set_flag(Atomic& flag, T value) noexcept {
    flag.exchange(value, std::memory_order_relaxed);
}

} // namespace linn::inline LINN_ABI::detail

#endif
