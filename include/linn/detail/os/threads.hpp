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

namespace linn::inline LINN_ABI::detail {

/// A number that no other live thread of the process has. Survives fork in the thread that forked.
inline std::uintptr_t current_thread() noexcept {
#ifdef LINN_DETAIL_POSIX
    // An integer or a pointer, by system: its bytes serve for both.
    const ::pthread_t self = ::pthread_self();
    std::uintptr_t number = 0;
    std::memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
#elif defined(_WIN32)
    return ::GetCurrentThreadId();
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

/// False where `thread_local` variables are emulated by a library that frees a thread's when it ends,
/// before the destructors of `thread_local` objects run: what they hold cannot be flushed then, and
/// pointers to them dangle.
#if defined(__GNUC__) && !defined(__clang__) && (defined(__MINGW32__) || defined(__CYGWIN__))
inline constexpr bool thread_locals_last = false;
#elif defined(__OpenBSD__) || defined(__ANDROID__)
inline constexpr bool thread_locals_last = false;
#else
inline constexpr bool thread_locals_last = true;
#endif

/// Runs `Run` late in a thread's exit, after the destructors of its `thread_local` objects where these
/// work, with what the thread armed it with.
///
/// It exists for two cases: a thread whose first use of a pool is in a destructor of thread-specific
/// data, where `thread_local` destructors are over by then and a new one would never run; and
/// systems without `thread_locals_last`. The key goes when the module is unloaded, so that no thread calls
/// into code that is gone.
template <void (*Run)(void*) noexcept>
class late_thread_exit {
public:
    late_thread_exit() noexcept {
#if defined(LINN_DETAIL_POSIX)
        valid_ = ::pthread_key_create(&key_, Run) == 0;
#elif defined(_WIN32)
        key_ = ::FlsAlloc(&call);
        valid_ = key_ != 0xffffffffUL;
        over_ = ::TlsAlloc();
#endif
    }
    late_thread_exit(const late_thread_exit&) = delete;
    late_thread_exit& operator=(const late_thread_exit&) = delete;
    ~late_thread_exit() {
#if defined(LINN_DETAIL_POSIX)
        if (valid_) {
            ::pthread_key_delete(key_);
        }
#elif defined(_WIN32)
        if (valid_) {
            gone_ = true; // FlsFree calls back for every thread, though none ends
            ::FlsFree(key_);
        }
        ::TlsFree(over_);
#endif
    }

    /// Arms it for the calling thread. @pre `argument` is not null
    void arm([[maybe_unused]] const void* argument) const noexcept {
#if defined(LINN_DETAIL_POSIX)
        if (valid_) {
            ::pthread_setspecific(key_, argument);
        }
#elif defined(_WIN32)
        if (valid_) {
            ::FlsSetValue(key_, const_cast<void*>(argument));
        }
#endif
    }

    /// What the calling thread armed it with, null if nothing.
    [[nodiscard]] void* argument() const noexcept {
#if defined(LINN_DETAIL_POSIX)
        return valid_ ? ::pthread_getspecific(key_) : nullptr;
#elif defined(_WIN32)
        return valid_ ? ::FlsGetValue(key_) : nullptr;
#else
        return nullptr;
#endif
    }

    /// Whether it ran in the calling thread already, and would not again. Only told where thread_local variables cannot.
    [[nodiscard]] bool over() const noexcept {
#if defined(_WIN32)
        return ::TlsGetValue(over_) != nullptr;
#else
        return false;
#endif
    }

private:
#if defined(LINN_DETAIL_POSIX)
    ::pthread_key_t key_{};
    bool valid_ = false;
#elif defined(_WIN32)
    static void __stdcall call(void* argument) {
        if (!gone_ && argument != nullptr) {
            ::TlsSetValue(over_, argument);
            Run(argument);
        }
    }
    static inline bool gone_ = false;
    static inline unsigned long over_ = 0; ///< a slot that lasts as long as the thread
    unsigned long key_ = 0;
    bool valid_ = false;
#endif
};

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_POSIX
#endif
