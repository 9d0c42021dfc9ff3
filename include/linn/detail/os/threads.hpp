// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_THREADS_HPP
#define LINN_DETAIL_OS_THREADS_HPP

#include <linn/config.hpp>

#include <cstdint>
#include <cstring>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define LINN_DETAIL_POSIX 1
#endif

namespace linn::inline LINN_ABI::detail {

/// A number that no other live thread of the process has. Survives fork in the thread that forked.
inline std::uintptr_t current_thread() noexcept {
#ifdef LINN_DETAIL_POSIX
    // An integer or a pointer, by system: its bytes serve for both.
    const ::pthread_t self = ::pthread_self();
    std::uintptr_t number = 0;
    std::memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
#else
    static thread_local char identity;
    return reinterpret_cast<std::uintptr_t>(&identity);
#endif
}

/// Calls the three functions around every fork of the process, as pthread_atfork does.
inline void at_fork([[maybe_unused]] void (*prepare)(), [[maybe_unused]] void (*parent)(),
                    [[maybe_unused]] void (*child)()) noexcept {
#ifdef LINN_DETAIL_POSIX
    ::pthread_atfork(prepare, parent, child);
#endif
}

/// Runs a function late in a thread's exit, after the destructors of its `thread_local` objects.
///
/// It exists for one case: a thread whose first use of a pool is in a destructor of thread-specific
/// data. `thread_local` destructors are over by then and a new one would never run. The key goes
/// when the module is unloaded, so that no thread calls into code that is gone.
class late_thread_exit {
public:
    explicit late_thread_exit([[maybe_unused]] void (*run)(void*)) noexcept {
#ifdef LINN_DETAIL_POSIX
        valid_ = ::pthread_key_create(&key_, run) == 0;
#endif
    }
    late_thread_exit(const late_thread_exit&) = delete;
    late_thread_exit& operator=(const late_thread_exit&) = delete;
    ~late_thread_exit() {
#ifdef LINN_DETAIL_POSIX
        if (valid_) {
            ::pthread_key_delete(key_);
        }
#endif
    }

    /// Arms it for the calling thread.
    void arm([[maybe_unused]] const void* argument) const noexcept {
#ifdef LINN_DETAIL_POSIX
        if (valid_) {
            ::pthread_setspecific(key_, argument);
        }
#endif
    }

private:
#ifdef LINN_DETAIL_POSIX
    ::pthread_key_t key_{};
    bool valid_ = false;
#endif
};

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_POSIX
#endif
