// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_THREAD_EXIT_HPP
#define LINN_DETAIL_SYNC_THREAD_EXIT_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// What happens when a thread ends: calls, and the number that it leaves to another one.

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

/// More threads than this at once get no number; what they use falls back to a lock.
template <class Policy>
inline constexpr std::uint32_t most_thread_indices = 256;

/// Small numbers for live threads, so that an object can hold a cache for each thread in an array:
/// no two live threads share a number, and a thread that ends leaves its number, with all that is
/// cached under it, to one that starts later. So nothing has to be flushed when a thread exits.
///
/// Taking a number over is ordered after all that its former thread did: the lock sees to it.
/// In the child of a fork the numbers of the threads that are gone are free again. What those threads cached may be half
/// written: a cache by number forgets, in the child, all that is not the forking thread's (see `is_mine`). Until all
/// handlers of the fork have run there is no other thread that could inherit it.
template <class Policy>
class thread_index_table {
public:
    static constexpr std::uint32_t most = most_thread_indices<Policy>;

    constexpr thread_index_table() = default; ///< for tests: no fork concerns it
    constexpr explicit thread_index_table(module_record& where) noexcept : part_{where, this, &on_event} {}

    /// The smallest free number, or `most` when there is none. @complexity O(most), a lock
    std::uint32_t take() noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        std::uint32_t index = 0;
        while (index != most && !claim(index)) {
            ++index;
        }
        return index;
    }

    /// Whether no thread has the number; then the calling one has it, until it gives it back.
    bool take_free(std::uint32_t index) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        return claim(index);
    }

    void give_back(std::uint32_t index) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        owners_[index] = 0;
    }

    /// Whether the calling thread has the number. @pre in the child of a fork, called by its handlers
    [[nodiscard]] bool is_mine(std::uint32_t index) const noexcept {
        return index < most && owners_[index] == current_thread();
    }

    /// The table that `thread_index` uses. Each module of a program that hides its symbols has its own,
    /// so numbers mean something only together with the table that they came from.
    static thread_index_table& process() noexcept { return process_; }

private:
    static void on_event(void* self, module_event e) noexcept {
        auto& t = *static_cast<thread_index_table*>(self);
        if (e == module_event::after_fork_in_child) {
            t.forget_other_threads();
        }
        module_record::on_fork(t.lock_, e);
    }

    void forget_other_threads() noexcept {
        const std::uintptr_t survivor = current_thread();
        for (std::uint32_t i = 0; i < most; ++i) {
            if (owners_[i] != survivor) {
                owners_[i] = 0;
            }
        }
    }

    bool claim(std::uint32_t index) noexcept {
        const bool is_free = owners_[index] == 0;
        if (is_free) {
            owners_[index] = current_thread();
        }
        return is_free;
    }

    module_part part_;
    typename Policy::mutex lock_{part_};
    std::uintptr_t owners_[most] = {}; ///< by number; 0: none. No thread is 0

    static constinit thread_index_table process_;
};

template <class Policy>
constinit thread_index_table<Policy> thread_index_table<Policy>::process_{this_module};

/// Zero: not asked for yet. Otherwise the number plus one; `most` plus one when the thread has none.
template <class Policy>
inline constinit thread_local std::uint32_t this_thread_index{0};

/// The variable's value.
template <class Policy>
LINN_DETAIL_OF_THREAD inline std::uint32_t shown_thread_index() noexcept {
    LINN_DETAIL_FIND_THREAD();
    return this_thread_index<Policy>;
}

/// Gives the number of the calling thread back. Idempotent; the thread gets no other one.
template <class Policy>
LINN_DETAIL_HIDDEN void leave_thread_index() noexcept {
    using table = thread_index_table<Policy>;
    const std::uint32_t n = this_thread_index<Policy>;
    this_thread_index<Policy> = table::most + 1;
    if (n != 0 && n <= table::most) {
        table::process().give_back(n - 1);
    }
}

/// Each module's own: the thread will call code of the module that this lies in, which is kept loaded for it. The number, and
/// the table, may be another module's, which that one uses.
template <class Policy>
LINN_DETAIL_HIDDEN [[LINN_DETAIL_NOINLINE]] std::uint32_t take_thread_index() noexcept {
    using table = thread_index_table<Policy>;
    if (!call_at_thread_exit<&leave_thread_index<Policy>>()) {
        return table::most;
    }
    const std::uint32_t index = table::process().take();
    this_thread_index<Policy> = index + 1;
    return index;
}

/// The number of the calling thread, below `thread_index_table::most`; that value itself for a thread
/// that has none: there are too many, or its thread-local objects are destroyed already.
/// @complexity one thread-local load once the thread has its number
template <class Policy>
[[LINN_DETAIL_ALWAYS_INLINE]] inline std::uint32_t thread_index() noexcept {
    const std::uint32_t n = shown_thread_index<Policy>();
    return n != 0 ? n - 1 : take_thread_index<Policy>();
}

} // namespace linn::inline LINN_ABI::detail

#endif
