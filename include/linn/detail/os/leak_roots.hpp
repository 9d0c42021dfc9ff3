// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_LEAK_ROOTS_HPP
#define LINN_DETAIL_OS_LEAK_ROOTS_HPP

#include <linn/config.hpp>
#include <linn/detail/sanitizer/lsan.hpp>

#include <cstddef>

#if defined(LINN_DETAIL_WEAK) && defined(__unix__)
#include <pthread.h>
#endif

namespace linn::inline LINN_ABI::detail {

/// The memory that LeakSanitizer searches for pointers besides its own. The sanitizer keeps these under a lock of its own, which
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

    LINN_DETAIL_HIDDEN void add(const void* p, std::size_t bytes) noexcept {
        if (leak_check_linked()) [[LINN_DETAIL_UNLIKELY]] {
            const visit v{*this};
            add_leak_root(p, bytes);
        }
    }

    LINN_DETAIL_HIDDEN void remove(const void* p, std::size_t bytes) noexcept {
        if (leak_check_linked()) [[LINN_DETAIL_UNLIKELY]] {
            const visit v{*this};
            remove_leak_root(p, bytes);
        }
    }

    /// From here on only fork handlers of this thread add and remove. @pre other threads wait here for no lock that the
    /// caller still wants
    LINN_DETAIL_HIDDEN void hold_for_fork() noexcept {
        if (leak_check_linked() && !held_by_caller) [[LINN_DETAIL_UNLIKELY]] {
            enter();
            held_by_caller = true;
        }
    }

    /// In the parent and in the child. Does nothing when the caller does not hold it.
    LINN_DETAIL_HIDDEN void release_after_fork() noexcept {
        if (leak_check_linked() && held_by_caller) [[LINN_DETAIL_UNLIKELY]] {
            held_by_caller = false;
            leave();
        }
    }

private:
    struct LINN_DETAIL_HIDDEN visit {
        explicit visit(leak_roots& r) noexcept : roots{r}, in_fork{held_by_caller} {
            if (!in_fork) {
                roots.enter();
            }
        }
        ~visit() {
            if (!in_fork) {
                roots.leave();
            }
        }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;

        leak_roots& roots;
        bool in_fork;
    };

#if defined(LINN_DETAIL_WEAK) && defined(__unix__)
    LINN_DETAIL_HIDDEN void enter() noexcept { ::pthread_mutex_lock(&lock_); }
    LINN_DETAIL_HIDDEN void leave() noexcept { ::pthread_mutex_unlock(&lock_); }

    // The system's, as everything here: its child may unlock what the thread that forked has locked.
    ::pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
#else
    void enter() noexcept {} // no LeakSanitizer
    void leave() noexcept {}
#endif

    inline static constinit thread_local bool held_by_caller = false; // over a fork
};

inline constinit leak_roots process_leak_roots{};

} // namespace linn::inline LINN_ABI::detail

#endif
