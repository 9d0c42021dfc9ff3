// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FORK_HOOKS_HPP
#define LINN_DETAIL_SYNC_FORK_HOOKS_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/policy.hpp>

namespace linn::inline LINN_ABI::detail {

/// A part of Linn that a fork must stop: nobody may be inside it while the process is copied.
struct fork_participant {
    void (*before)() = nullptr;          ///< takes every lock of that part
    void (*after_in_parent)() = nullptr; ///< lets go of them
    void (*after_in_child)() = nullptr;  ///< resets them, and forgets the threads that are gone
    fork_participant* next = nullptr;
    bool joined = false;  ///< under the lock of fork_hooks
    bool stopped = false; ///< between `before` and one of the others
};

/// One set of handlers around forks for all parts of a module. With several sets a fork handler of the
/// program could run between them, where some locks are held and others are not.
///
/// Parts are stopped in the order in which they joined. So none may hold its own lock while it takes
/// that of another.
class fork_hooks {
public:
    constexpr fork_hooks() = default;
    fork_hooks(const fork_hooks&) = delete;
    fork_hooks& operator=(const fork_hooks&) = delete;

    /// @pre `p` lives as long as the module; its functions call nothing of this class
    void join(fork_participant& p) noexcept {
        if (enter(p)) {
            at_fork(&before, &after_in_parent, &after_in_child); // may allocate: no lock is held
        }
    }

    static fork_hooks& process() noexcept;

private:
    /// @returns whether the handlers are to be installed now
    bool enter(fork_participant& p) noexcept {
        lock_guard<mutex> guard{lock_};
        if (p.joined) {
            return false;
        }
        p.joined = true;
        fork_participant** end = &first_;
        while (*end != nullptr) {
            end = &(*end)->next;
        }
        *end = &p;
        const bool first_time = !hooked_;
        hooked_ = true;
        return first_time;
    }

    static void before() noexcept;
    static void after_in_parent() noexcept;
    static void after_in_child() noexcept;

    mutex lock_;
    fork_participant* first_ = nullptr;
    bool hooked_ = false;
};

inline constinit fork_hooks the_fork_hooks{};

inline fork_hooks& fork_hooks::process() noexcept {
    return the_fork_hooks;
}

inline void fork_hooks::before() noexcept {
    fork_hooks& all = the_fork_hooks;
    all.lock_.lock();
    for (fork_participant* p = all.first_; p != nullptr; p = p->next) {
        p->before();
        p->stopped = true;
    }
    inside_fork = true;
}

inline void fork_hooks::after_in_parent() noexcept {
    fork_hooks& all = the_fork_hooks;
    inside_fork = false;
    for (fork_participant* p = all.first_; p != nullptr; p = p->next) {
        if (p->stopped) { // else it joined from a fork handler of the program
            p->stopped = false;
            p->after_in_parent();
        }
    }
    all.lock_.unlock();
}

inline void fork_hooks::after_in_child() noexcept {
    fork_hooks& all = the_fork_hooks;
    inside_fork = false;
    for (fork_participant* p = all.first_; p != nullptr; p = p->next) {
        if (p->stopped) {
            p->stopped = false;
            p->after_in_child();
        }
    }
    all.lock_.reset();
}

} // namespace linn::inline LINN_ABI::detail

#endif
