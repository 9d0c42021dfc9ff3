// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_THREADS_HPP
#define LINN_DETAIL_OS_THREADS_HPP

#include <linn/config.hpp>

#include <cstdint>
#include <cstring>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define LINN_DETAIL_POSIX 1
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#endif

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__ANDROID__)
#include <pthread.h>
#define LINN_DETAIL_CANCELS 1
#endif

namespace linn::inline LINN_ABI::detail {

/// While it lives, `pthread_cancel` waits. Calls of the system that wait or open files are where a thread that is
/// to be cancelled is unwound: out of functions that promise not to throw, which ends the process, and past locks.
class uncancelled {
public:
#ifdef LINN_DETAIL_CANCELS
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~uncancelled() { ::pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = 0;

public:
#else
    uncancelled() noexcept {}
#endif
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
};

/// A number that no other live thread of the process has. Survives fork in the thread that forked.
LINN_DETAIL_OF_THREAD inline std::uintptr_t current_thread() noexcept {
    LINN_DETAIL_FIND_THREAD();
#ifdef LINN_DETAIL_POSIX
    // An integer or a pointer, by system: its bytes serve for both.
    const ::pthread_t self = ::pthread_self();
    std::uintptr_t number = 0;
    std::memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
#elif defined(_WIN32)
    return ::GetCurrentThreadId();
#else
    static constinit thread_local char identity = 0;
    return reinterpret_cast<std::uintptr_t>(&identity);
#endif
}

/// Calls the three functions around every fork of the process, as pthread_atfork does, until the calling module ends: a
/// C library that unloads modules takes the module of the call for theirs, so this is each module's own.
LINN_DETAIL_HIDDEN inline void at_fork([[maybe_unused]] void (*prepare)(), [[maybe_unused]] void (*parent)(),
                                       [[maybe_unused]] void (*child)()) noexcept {
#ifdef LINN_DETAIL_POSIX
    ::pthread_atfork(prepare, parent, child);
#endif
}

/// False where `thread_local` variables are emulated by a library that frees a thread's when it ends,
/// before the destructors of `thread_local` objects run: what they hold cannot be flushed then, and
/// pointers to them dangle.
inline constexpr bool thread_locals_last = LINN_DETAIL_EMULATED_TLS == 0;

/// Whether what a pool caches for a thread lies in memory of ours that a key of the system leads to.
#if defined(_WIN32)
inline constexpr bool fronts_by_key = !thread_locals_last;
#else
inline constexpr bool fronts_by_key = false;
#endif
/// Whether pools cache for threads at all; else each call takes the pool's lock.
inline constexpr bool threads_hold_fronts = thread_locals_last || fronts_by_key;

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_CANCELS
#undef LINN_DETAIL_POSIX
#endif
