// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_LEAK_ROOTS_HPP
#define LINN_DETAIL_OS_LEAK_ROOTS_HPP

#include <linn/config.hpp>

#include <cstddef>

#if defined(LINN_DETAIL_WEAK) && defined(__unix__)
#include <pthread.h>

// Weak, because no macro tells whether -fsanitize=leak alone is on.
extern "C" {
LINN_DETAIL_WEAK void __lsan_register_root_region(const void*, std::size_t);
LINN_DETAIL_WEAK void __lsan_unregister_root_region(const void*, std::size_t);
}
#endif

namespace linn::inline LINN_ABI::detail {

/// The memory that LeakSanitizer searches for pointers besides its own: without it, what a pooled object owns would be reported as
/// leaked. The sanitizer keeps these under a lock of its own, which
/// in GCC 12 the child of a fork finds taken if another thread was there: so one thread at a time goes there, and none
/// while the process is copied. Costs nothing where there is no LeakSanitizer.
/// The functions are hidden: lock and flag are a module's own where it exports neither, and another module's function would
/// look at the flag of that one.
/// @threads any thread
class leak_roots {
public:
    constexpr leak_roots() = default;
    leak_roots(const leak_roots&) = delete;
    leak_roots& operator=(const leak_roots&) = delete;

#if defined(LINN_DETAIL_WEAK) && defined(__unix__)
    LINN_DETAIL_HIDDEN void add(const void* p, std::size_t bytes) noexcept {
        tell(&__lsan_register_root_region, p, bytes);
    }
    LINN_DETAIL_HIDDEN void remove(const void* p, std::size_t bytes) noexcept {
        tell(&__lsan_unregister_root_region, p, bytes);
    }

    /// From here on only fork handlers of this thread add and remove. @pre other threads wait here for no lock that the
    /// caller still wants
    LINN_DETAIL_HIDDEN void hold_for_fork() noexcept {
        if (&__lsan_register_root_region != nullptr && !held_by_caller) [[LINN_DETAIL_UNLIKELY]] {
            ::pthread_mutex_lock(&lock_);
            held_by_caller = true;
        }
    }

    /// In the parent and in the child. Does nothing when the caller does not hold it.
    LINN_DETAIL_HIDDEN void release_after_fork() noexcept {
        if (held_by_caller) {
            held_by_caller = false;
            ::pthread_mutex_unlock(&lock_);
        }
    }

private:
    LINN_DETAIL_HIDDEN void tell(void (*sanitizer)(const void*, std::size_t), const void* p,
                                 std::size_t bytes) noexcept {
        if (sanitizer == nullptr) {
            return;
        }
        const bool in_fork = held_by_caller;
        if (!in_fork) {
            ::pthread_mutex_lock(&lock_);
        }
        sanitizer(p, bytes);
        if (!in_fork) {
            ::pthread_mutex_unlock(&lock_);
        }
    }

    // The system's, as everything here: its child may unlock what the thread that forked has locked.
    ::pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    inline static constinit thread_local bool held_by_caller = false; // over a fork
#else
    // Without LeakSanitizer.
    void add(const void*, std::size_t) noexcept {}
    void remove(const void*, std::size_t) noexcept {}
    void hold_for_fork() noexcept {}
    void release_after_fork() noexcept {}
#endif
};

inline constinit leak_roots process_leak_roots{};

} // namespace linn::inline LINN_ABI::detail

#endif
