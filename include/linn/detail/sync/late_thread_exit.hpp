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

    void arm() noexcept { armed = true; }
    bool armed = false;
};

/// A key of thread-specific data, made at its first use. No thread ever waits for another one to make it.
class thread_key {
public:
    constexpr thread_key() = default;
    thread_key(const thread_key&) = delete;
    thread_key& operator=(const thread_key&) = delete;

    /// @tparam Values the `thread_values` that it is a key of
    template <class Values>
    [[nodiscard]] bool get(std::uintptr_t& key) noexcept {
        std::uintptr_t found = state_.load(std::memory_order_relaxed);
        if (found == none) {
            const auto mine = static_cast<std::uintptr_t>(Values::make() + 2); // of -1: gone
            if (state_.compare_exchange_strong(found, mine, std::memory_order_relaxed)) {
                found = mine;
            } else if (mine != gone) {
                Values::drop(mine - 2);
            }
        }
        key = found - 2;
        return found != gone;
    }

    /// The key, if there is one by now.
    [[nodiscard]] bool made(std::uintptr_t& key) const noexcept {
        const std::uintptr_t found = state_.load(std::memory_order_relaxed);
        key = found - 2;
        return found > gone;
    }

    /// From now on there is none.
    template <class Values>
    void end() noexcept {
        const std::uintptr_t found = state_.exchange(gone, std::memory_order_relaxed);
        if (found > gone) {
            Values::drop(found - 2);
        }
    }

private:
    static constexpr std::uintptr_t none = 0;
    static constexpr std::uintptr_t gone = 1;

    std::atomic<std::uintptr_t> state_{none}; ///< or the key plus two
};

/// Runs `Run` late in a thread's exit, after the destructors of its `thread_local` objects where these
/// work, with what the thread armed it with. A variable of each module.
///
/// It exists for two cases: a thread whose first use of a pool is in a destructor of thread-specific
/// data, where `thread_local` destructors are over by then and a new one would never run; and
/// systems without `thread_locals_last`. The key goes when the module ends, so that no thread calls
/// into code that is gone.
template <void (*Run)(void*) noexcept>
class late_thread_exit {
public:
    constexpr explicit late_thread_exit(module_record& where) noexcept : part_{where, this, &on_event} {}
    late_thread_exit(const late_thread_exit&) = delete;
    late_thread_exit& operator=(const late_thread_exit&) = delete;

    /// Arms it for the calling thread. @pre `argument` is not null
    void arm(const void* argument) noexcept {
        part_.join();
        std::uintptr_t key = 0;
        if (remembers() && key_.get<values>(key)) {
            values::set(key, argument);
        }
    }

    /// What the calling thread armed it with, null if nothing.
    [[nodiscard]] void* argument() const noexcept {
        std::uintptr_t key = 0;
        return key_.made(key) ? values::get(key) : nullptr;
    }

    /// Whether it ran in the calling thread already, and would not again. Only told where thread_local variables cannot.
    [[nodiscard]] bool over() const noexcept {
        std::uintptr_t key = 0;
        return dropped_keys_call && over_.made(key) && lasting_values::get(key) != nullptr;
    }

private:
    static void call(void* argument) noexcept {
        if (std::uintptr_t key = 0; !gone_ && over_.made(key)) {
            lasting_values::set(key, argument);
            Run(argument);
        }
    }

    using values = thread_values<dropped_keys_call ? &call : Run>;
    using lasting_values = thread_values<nullptr>;

    /// Whether `call` can note for which threads it ran, where it must.
    static bool remembers() noexcept {
        std::uintptr_t key = 0;
        return !dropped_keys_call || over_.get<lasting_values>(key);
    }

    static void on_event(void* self, module_event e) noexcept {
        if (e == module_event::end) {
            gone_ = true;
            static_cast<late_thread_exit*>(self)->key_.template end<values>();
            if constexpr (dropped_keys_call) {
                over_.end<lasting_values>();
            }
        }
    }

    static inline constinit bool gone_ = false;
    static inline constinit thread_key
        over_{}; ///< a value that lasts as long as the thread; see dropped_keys_call
    thread_key key_;
    module_part part_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
