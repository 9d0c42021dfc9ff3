// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_THREAD_INDEX_HPP
#define LINN_DETAIL_SYNC_THREAD_INDEX_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/late_thread_exit.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

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
    thread_index_table(const thread_index_table&) = delete;
    thread_index_table& operator=(const thread_index_table&) = delete;

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
