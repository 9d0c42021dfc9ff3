// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_LEAK_ROOTS_HPP
#define LINN_DETAIL_OS_LEAK_ROOTS_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sanitizer/lsan.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The memory that LeakSanitizer searches for pointers besides its own. The sanitizer keeps these under a lock of its own, which
/// in GCC 12 the child of a fork finds taken if another thread was there: so one thread at a time goes there, and none
/// while the process is copied. Costs nothing where there is no LeakSanitizer.
/// @threads any thread
class leak_roots {
public:
    constexpr leak_roots() = default;
    leak_roots(const leak_roots&) = delete;
    leak_roots& operator=(const leak_roots&) = delete;

    void add(const void* p, std::size_t bytes) noexcept {
        if (leak_check_linked()) [[unlikely]] {
            const visit v{*this};
            add_leak_root(p, bytes);
        }
    }

    void remove(const void* p, std::size_t bytes) noexcept {
        if (leak_check_linked()) [[unlikely]] {
            const visit v{*this};
            remove_leak_root(p, bytes);
        }
    }

    /// From here on only fork handlers of this thread add and remove. @pre other threads wait here for no lock that the
    /// caller still wants
    void hold_for_fork() noexcept {
        if (leak_check_linked() && !held_by_caller()) [[unlikely]] {
            enter();
        }
    }

    /// In the parent and in the child. Does nothing when the caller does not hold it.
    void release_after_fork() noexcept {
        if (held_by_caller()) [[unlikely]] {
            leave();
        }
    }

private:
    struct visit {
        explicit visit(leak_roots& r) noexcept : roots{r}, in_fork{r.held_by_caller()} {
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

    [[nodiscard]] bool held_by_caller() const noexcept {
        // relaxed: only the thread itself writes its own number
        return holder_.load(std::memory_order_relaxed) == current_thread();
    }

    void enter() noexcept {
        std::uintptr_t nobody = 0;
        // acquire: pairs with the release in leave
        while (!holder_.compare_exchange_strong(nobody, current_thread(), std::memory_order_acquire,
                                                std::memory_order_relaxed)) {
            nobody = 0;
            yield_thread();
        }
    }

    // release: pairs with the acquire in enter
    void leave() noexcept { holder_.store(0, std::memory_order_release); }

    std::atomic<std::uintptr_t> holder_{0};
};

inline constinit leak_roots process_leak_roots{};

} // namespace linn::inline LINN_ABI::detail

#endif
