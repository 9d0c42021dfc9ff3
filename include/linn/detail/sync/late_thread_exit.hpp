// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_LATE_THREAD_EXIT_HPP
#define LINN_DETAIL_SYNC_LATE_THREAD_EXIT_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/module.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace linn::inline LINN_ABI::detail {

/// Whether there is memory to note a destructor for the end of the thread: a C library may end the process where there is none.
/// The block is larger than those that it keeps aside for other uses. Leaves errno alone: a free may come here.
[[LINN_DETAIL_COLD]] inline bool can_note_destructor() noexcept {
    static constinit thread_local bool asks = false;
    if (asks) {
        return false; // the program's own malloc uses pools
    }
    asks = true;
    const int before = errno;
    void* block = std::malloc(4096);
    LINN_DETAIL_HIDE(block); // otherwise compilers take for granted that there is one
    const bool is_there = block != nullptr;
    std::free(block);
    errno = before;
    asks = false;
    return is_there;
}

/// A thread_local variable of this type calls `Run` when the thread exits; kept apart from all that the hot path and other
/// destructors touch.
template <void (*Run)() noexcept>
struct at_thread_exit {
    constexpr at_thread_exit() noexcept = default;
    at_thread_exit(const at_thread_exit&) = delete;
    at_thread_exit& operator=(const at_thread_exit&) = delete;
    LINN_DETAIL_HIDDEN ~at_thread_exit() { Run(); }
};

/// Runs `Run` late in a thread's exit, after the destructors of its `thread_local` objects. A variable of each module.
///
/// It exists for a thread whose first use of a pool is in a destructor of thread-specific data, where `thread_local`
/// destructors are over by then and a new one would never run. The key goes when the module ends, so that no thread calls
/// into code that is gone.
template <void (*Run)() noexcept>
class late_thread_exit {
public:
    constexpr explicit late_thread_exit(module_record& where) noexcept : part_{where, this, &on_event} {}
    late_thread_exit(const late_thread_exit&) = delete;
    late_thread_exit& operator=(const late_thread_exit&) = delete;

    /// Arms it for the calling thread.
    void arm() noexcept {
        part_.join();
        if (const std::uintptr_t key = made_key(); key != gone) {
            values::set(key - 2, this);
        }
    }

private:
    // On Windows also when the key goes, for threads that do not end.
    LINN_DETAIL_HIDDEN static void call(void* self) noexcept {
        if (static_cast<late_thread_exit*>(self)->key_.load(std::memory_order_relaxed) != gone) {
            Run();
        }
    }

    using values = thread_values<&call>;
    static constexpr std::uintptr_t none = 0;
    static constexpr std::uintptr_t gone = 1;

    /// The key plus two, made at the first use; `gone` where there is none to be had. No thread waits for another one to make it.
    std::uintptr_t made_key() noexcept {
        std::uintptr_t found = key_.load(std::memory_order_relaxed);
        if (found == none) {
            const auto mine = static_cast<std::uintptr_t>(values::make() + 2); // of -1: gone
            if (key_.compare_exchange_strong(found, mine, std::memory_order_relaxed)) {
                return mine;
            }
            if (mine != gone) {
                values::drop(mine - 2);
            }
        }
        return found;
    }

    static void on_event(void* self, module_event e) noexcept {
        if (e == module_event::end) {
            const std::uintptr_t found =
                static_cast<late_thread_exit*>(self)->key_.exchange(gone, std::memory_order_relaxed);
            if (found > gone) {
                values::drop(found - 2);
            }
        }
    }

    std::atomic<std::uintptr_t> key_{none};
    module_part part_;
};

template <void (*Run)() noexcept>
LINN_DETAIL_HIDDEN inline constinit late_thread_exit<Run> late_exit{this_module};

/// Sees to it that `Run`, a function of the module that this code lies in, is called when the calling thread ends, twice maybe.
/// @returns false where it would not be, or too late: then nothing may be cached for the thread
template <void (*Run)() noexcept>
[[LINN_DETAIL_COLD]] LINN_DETAIL_HIDDEN bool call_at_thread_exit() noexcept {
    if (!thread_locals_last || module_ends() || !can_note_destructor()) {
        return false;
    }
    static constinit thread_local at_thread_exit<Run> janitor;
    late_exit<Run>.arm();
    return true;
}

} // namespace linn::inline LINN_ABI::detail

#endif
