// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_POSIX_THREADS_HPP
#define LINN_DETAIL_OS_POSIX_THREADS_HPP

#include <linn/config.hpp>

#include <pthread.h>

#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// While it lives, `pthread_cancel` waits. Calls of the system that wait or open files are where a thread that is
/// to be cancelled is unwound: out of functions that promise not to throw, which ends the process, and past locks.
class uncancelled {
public:
#if defined(__ANDROID__) // which cancels no threads
    uncancelled() noexcept {}
#else
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~uncancelled() { ::pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = 0;

public:
#endif
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
};

/// A number that no other live thread of the process has. Survives fork in the thread that forked.
LINN_DETAIL_OF_THREAD inline std::uintptr_t current_thread() noexcept {
    LINN_DETAIL_FIND_THREAD();
    // An integer or a pointer, by system: its bytes serve for both.
    const ::pthread_t self = ::pthread_self();
    std::uintptr_t number = 0;
    std::memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
}

/// Calls the three functions around every fork of the process, as pthread_atfork does, until the calling module ends: a
/// C library that unloads modules takes the module of the call for theirs, so this is each module's own.
LINN_DETAIL_HIDDEN inline void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
    ::pthread_atfork(prepare, parent, child);
}

/// A value that each thread has under a key, null at first. When a thread ends that has one, `Run` gets it, late.
template <void (*Run)(void*)>
struct thread_values {
    /// @returns the key; -1 when there is none to be had
    static std::intptr_t make() noexcept {
        ::pthread_key_t key{};
        return ::pthread_key_create(&key, Run) == 0 ? static_cast<std::intptr_t>(key) : -1;
    }
    static void drop(std::uintptr_t key) noexcept { ::pthread_key_delete(static_cast<::pthread_key_t>(key)); }
    static bool set(std::uintptr_t key, const void* value) noexcept {
        return ::pthread_setspecific(static_cast<::pthread_key_t>(key), value) == 0;
    }
};

/// Calls `Run` when the program ends: after the functions of `atexit` and the destructors of static objects, in files of the
/// format ELF. In a shared library, when that is unloaded or the program ends, before the destructors of its static objects;
/// so also in a program of macOS.
/// Each module that odr-uses it calls it, once or more often. A template, so that a program that does not ask for `Run` does
/// not have it.
template <void (*Run)()>
LINN_DETAIL_HIDDEN LINN_DETAIL_AT_END void at_program_end() {
    Run();
}

} // namespace linn::inline LINN_ABI::detail

#endif
