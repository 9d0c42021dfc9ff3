// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_THREAD_BARRIER_HPP
#define LINN_DETAIL_OS_THREAD_BARRIER_HPP

#include <linn/config.hpp>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <linn/detail/os/threads.hpp>

#include <cerrno>
#include <ctime>
#define LINN_DETAIL_NANOSLEEP 1
#endif

namespace linn::inline LINN_ABI::detail {

/// Stops the calling thread for some microseconds. Unlike a yield it also lets threads of lower
/// priority run. Leaves errno alone, and is no place where a thread is cancelled.
inline void sleep_briefly([[maybe_unused]] long microseconds = 50) noexcept {
#ifdef LINN_DETAIL_NANOSLEEP
    const uncancelled until_the_end;
    const int before = errno;
    const ::timespec time{0, microseconds * 1000};
    ::nanosleep(&time, nullptr);
    errno = before;
#elif defined(_WIN32)
    ::Sleep(static_cast<unsigned long>((microseconds + 999) / 1000));
#endif
}

#if defined(__linux__)
namespace thread_barrier_call {
inline bool succeeds(int command) noexcept {
    const int before = errno;
    const bool ok = ::syscall(SYS_membarrier, command, 0, 0) == 0;
    errno = before;
    return ok;
}
} // namespace thread_barrier_call
#endif

/// Prepares `thread_barrier` for this process. @returns false where the system has no such thing, or
/// a sandbox forbids it; then `thread_barrier` must not be called
inline bool enable_thread_barrier() noexcept {
#if defined(__linux__)
    return thread_barrier_call::succeeds(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#elif defined(_WIN32)
    return !windows::is_wine(); // where FlushProcessWriteBuffers did nothing until version 8 at least
#else
    return false;
#endif
}

/// Makes every thread of the process that runs at this moment execute a full memory barrier; those that
/// do not run had one when they were stopped. About a microsecond a running thread.
/// @pre `enable_thread_barrier` returned true
inline void thread_barrier() noexcept {
#if defined(__linux__)
    if (thread_barrier_call::succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        return;
    }
    // A sandbox was closed since. What a barrier would order at once, a processor orders in its own time:
    // no store stays unseen for a millisecond, let alone twenty.
    sleep_briefly(20'000);
#elif defined(_WIN32)
    ::FlushProcessWriteBuffers();
#endif
}

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_NANOSLEEP
#endif
