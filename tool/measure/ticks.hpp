// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace linn::tool {

/// Nanoseconds of the monotonic clock.
inline std::uint64_t now_ns() noexcept {
    std::timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
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

} // namespace linn::tool
