// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BSD_SYSTEM_HPP
#define LINN_DETAIL_OS_BSD_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

#if defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/umtx.h>
#elif defined(__OpenBSD__)
#include <sys/futex.h>
#elif defined(__NetBSD__)
#include <sys/syscall.h>
#if defined(SYS___futex) // NetBSD 10
#include <sys/futex.h>
#endif
#endif

// FreeBSD, NetBSD, OpenBSD, and every other system of the POSIX family that has no folder of its own.

namespace linn::inline LINN_ABI::detail {

#if defined(__FreeBSD__)
inline void futex_wait_until(const void* word, std::uint32_t expected, ::timespec* time) noexcept {
    const errno_kept keep;
    ::_umtx_op(const_cast<void*>(word), UMTX_OP_WAIT_UINT_PRIVATE, expected,
               reinterpret_cast<void*>(sizeof *time), time);
}
inline void futex_wake_one(const void* word) noexcept {
    const errno_kept keep;
    ::_umtx_op(const_cast<void*>(word), UMTX_OP_WAKE_PRIVATE, 1, nullptr, nullptr);
}
#elif defined(__OpenBSD__) || (defined(__NetBSD__) && defined(SYS___futex))
inline void futex_call(const void* word, int what, std::uint32_t value, const ::timespec* time) noexcept {
    const errno_kept keep;
    auto* const at = static_cast<volatile std::uint32_t*>(const_cast<void*>(word));
#if defined(__OpenBSD__)
    ::futex(at, what, static_cast<int>(value), time, nullptr);
#else
    ::syscall(SYS___futex, at, what, value, time, nullptr, 0, 0);
#endif
}
inline void futex_wait_until(const void* word, std::uint32_t expected, ::timespec* time) noexcept {
    futex_call(word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, time);
}
inline void futex_wake_one(const void* word) noexcept {
    futex_call(word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, nullptr);
}
#else // which have none: a sleeper looks again
inline void futex_wait_until(const void*, std::uint32_t, ::timespec*) noexcept {
    sleep_briefly();
}
inline void futex_wake_one(const void*) noexcept {}
#endif

/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Leaves errno alone.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::uint64_t year = 31'536'000; // may return early
    ::timespec time{};
    time.tv_sec = static_cast<std::time_t>(ns / second < year ? ns / second : year);
    time.tv_nsec = static_cast<long>(ns % second);
    futex_wait_until(word, expected, &time);
}

/// The systems have no such thing.
inline bool enable_thread_barrier() noexcept {
    return false;
}
inline void thread_barrier() noexcept {}

struct system_pages : posix_pages {
    /// Whether `p`, which may be any address, lies in memory.
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const errno_kept keep;
#if defined(__OpenBSD__) // which has no mincore
        return ::msync(page_of(p), 1, MS_ASYNC) == 0;
#else
        char resident = 0;
        return ::mincore(page_of(p), 1, &resident) == 0;
#endif
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
