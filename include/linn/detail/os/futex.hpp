// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_FUTEX_HPP
#define LINN_DETAIL_OS_FUTEX_HPP

#include <linn/config.hpp>

#include <cstdint>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#endif

namespace linn::inline LINN_ABI::detail {

#if defined(__linux__)
inline constexpr bool has_futex = true;

/// Sleeps while `*word` is `expected`; may return early. Leaves errno alone: pools are used where
/// a caller is about to read it.
inline void futex_wait(const void* word, std::uint32_t expected) noexcept {
    const int before = errno;
    ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
    errno = before;
}

/// The same for so many nanoseconds at most.
inline void futex_wait_for(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::uint64_t year = 31'536'000; // may return early
    const int before = errno;
    // As this call has it: in a program of 32 bits the timespec of the C library may be another one.
    const long time[2] = {static_cast<long>(ns / second < year ? ns / second : year),
                          static_cast<long>(ns % second)};
    ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
    errno = before;
}

inline void futex_wake_one(const void* word) noexcept {
    const int before = errno;
    ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    errno = before;
}
#elif defined(_WIN32)
inline constexpr bool has_futex = true;

/// Windows 8 has a futex of its own; before that a sleeper looks once a millisecond.
inline void futex_wait_ms(const void* word, std::uint32_t expected, unsigned long ms) noexcept {
    static const auto wait = windows::kernel_function<int __stdcall(
        const volatile void*, const void*, linn_windows_size, unsigned long)>("WaitOnAddress");
    if (wait != nullptr) {
        wait(word, &expected, sizeof expected, ms);
    } else {
        ::Sleep(1);
    }
}
inline void futex_wait(const void* word, std::uint32_t expected) noexcept {
    futex_wait_ms(word, expected, 0xffffffffUL); // without end
}
inline void futex_wait_for(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t day = 86'400'000; // may return early
    const std::uint64_t ms = ns / 1'000'000 + 1;
    futex_wait_ms(word, expected, static_cast<unsigned long>(ms < day ? ms : day));
}

inline void futex_wake_one(const void* word) noexcept {
    static const auto wake = windows::kernel_function<void __stdcall(const void*)>("WakeByAddressSingle");
    if (wake != nullptr) {
        wake(word);
    }
}
#else
inline constexpr bool has_futex = false;
inline void futex_wait(const void*, std::uint32_t) noexcept {}
inline void futex_wait_for(const void*, std::uint32_t, std::uint64_t) noexcept {}
inline void futex_wake_one(const void*) noexcept {}
#endif

/// Tells the processor that this is a spin loop.
inline void spin_pause() noexcept {
    LINN_DETAIL_SPIN_PAUSE();
}

} // namespace linn::inline LINN_ABI::detail

#endif
