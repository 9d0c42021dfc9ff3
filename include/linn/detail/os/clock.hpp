// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_CLOCK_HPP
#define LINN_DETAIL_OS_CLOCK_HPP

#include <linn/config.hpp>

#include <cstdint>

#if defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#else
#include <ctime>
#endif

namespace linn::inline LINN_ABI::detail {

/// Milliseconds from some moment on, never backwards. Cheap rather than precise: a few nanoseconds,
/// good to some ten milliseconds. Without <chrono>, which costs more to compile than all of a pool.
struct coarse_clock {
    static std::uint64_t now_ms() noexcept {
#if defined(_WIN32)
        return ::GetTickCount64();
#else
        std::timespec t{};
#if defined(CLOCK_MONOTONIC_COARSE)
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#elif defined(CLOCK_MONOTONIC)
        ::clock_gettime(CLOCK_MONOTONIC, &t);
#else
        std::timespec_get(&t, TIME_UTC);
#endif
        return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
#endif
    }
};

/// Nanoseconds from some moment on, never backwards; on Windows good to 16 milliseconds.
struct precise_clock {
    static std::uint64_t now_ns() noexcept {
#if defined(_WIN32)
        return ::GetTickCount64() * 1'000'000;
#else
        std::timespec t{};
#if defined(CLOCK_MONOTONIC)
        ::clock_gettime(CLOCK_MONOTONIC, &t);
#else
        std::timespec_get(&t, TIME_UTC);
#endif
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
#endif
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
