// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/time.h>

#include <cstdint>
#include <ctime>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace linn::tool {

/// Nanoseconds of one of the system's clocks.
inline std::uint64_t clock_ns(clockid_t clock) noexcept {
    std::timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Nanoseconds of the monotonic clock.
inline std::uint64_t now_ns() noexcept {
    return clock_ns(CLOCK_MONOTONIC);
}

/// Nanoseconds of a CPU time of getrusage.
inline std::uint64_t nanoseconds_of(const timeval& t) noexcept {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(t.tv_usec) * 1'000u;
}

/// Reads the counter that "cycles" means in every report: the time-stamp counter of x86, the virtual counter of
/// Arm, the monotonic clock elsewhere. It runs at a constant rate, so it is time, not executed core cycles.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    // The fences keep earlier work in front of the reading and later work behind it.
    _mm_lfence();
    const std::uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
#elif defined(__aarch64__)
    std::uint64_t t = 0;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(t) : : "memory");
    return t;
#else
    return now_ns();
#endif
}

/// Ticks in a nanosecond, by looking at both clocks for a millisecond.
inline double ticks_per_ns() noexcept {
    const std::uint64_t begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    std::uint64_t ns = 0;
    while (ns < 1'000'000) {
        ns = now_ns() - begin_ns;
    }
    return static_cast<double>(ticks() - begin) / static_cast<double>(ns);
}

/// Names the counter that `ticks()` reads.
inline const char* tick_source() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return "time-stamp counter";
#elif defined(__aarch64__)
    return "virtual counter";
#else
    return "monotonic clock";
#endif
}

/// Ticks a step of a fixed chain of dependent multiplications: slow when something else shares the core, which no
/// figure of the system shows on a virtual machine.
inline double canary() noexcept {
    constexpr std::uint64_t steps =
        1'000'000; // one to two milliseconds: longer than a scheduler's wake-up, short compared with a phase
    std::uint64_t x = 88'172'645'463'325'252u;
    const std::uint64_t start = ticks();
    for (std::uint64_t i = 0; i != steps; ++i) {
        x = x * 6'364'136'223'846'793'005u + i;
        asm volatile("" : "+r"(x));
    }
    return static_cast<double>(ticks() - start) / static_cast<double>(steps);
}

} // namespace linn::tool
