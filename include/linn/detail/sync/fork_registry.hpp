// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FORK_REGISTRY_HPP
#define LINN_DETAIL_SYNC_FORK_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/fork_hooks.hpp>
#include <linn/detail/sync/policy.hpp>

namespace linn::inline LINN_ABI::detail {

/// Neighbours of a member in its registry, for the member to inherit. Guarded by the registry's lock.
template <class Member>
struct in_fork_registry {
    Member* next_registered = nullptr;
    Member* previous_registered = nullptr;
};

/// All objects of one kind in a module, so that a fork finds their locks. Constant-initialised and never
/// destroyed.
///
/// Order of locks: the registry's, then those of the members, newest first. A member takes the
/// registry's lock only while it holds none.
///
/// @tparam Member is `in_fork_registry<Member>` and has `lock_for_fork()`, `unlock_in_parent()` and
///         `unlock_in_child()`; the last also forgets what the threads that are gone had half done
template <class Member, class Mutex = mutex>
class fork_registry {
public:
    constexpr fork_registry() = default;
    fork_registry(const fork_registry&) = delete;
    fork_registry& operator=(const fork_registry&) = delete;

    static fork_registry& process() noexcept { return process_; }

    void enter(Member& m) noexcept {
        if (this == &process_) { // tests make others, which no fork concerns
            fork_hooks::process().join(participant_);
        }
        lock_guard<Mutex> guard{lock_};
        m.next_registered = newest_;
        if (newest_ != nullptr) {
            newest_->previous_registered = &m;
        }
        newest_ = &m;
    }

    void leave(Member& m) noexcept {
        lock_guard<Mutex> guard{lock_};
        (m.previous_registered != nullptr ? m.previous_registered->next_registered : newest_) =
            m.next_registered;
        if (m.next_registered != nullptr) {
            m.next_registered->previous_registered = m.previous_registered;
        }
    }

    /// For tests.
    [[nodiscard]] bool empty() noexcept {
        lock_guard<Mutex> guard{lock_};
        return newest_ == nullptr;
    }

    /// Whether `is(member)` holds for one of them; it may take locks of the member.
    template <class Is>
    bool any(Is&& is) noexcept {
        lock_guard<Mutex> guard{lock_};
        for (Member* m = newest_; m != nullptr; m = m->next_registered) {
            if (is(*m)) {
                return true;
            }
        }
        return false;
    }

private:
    static void before_fork() noexcept {
        process_.lock_.lock();
        for (Member* m = process_.newest_; m != nullptr; m = m->next_registered) {
            m->lock_for_fork();
        }
    }
    static void after_fork_in_parent() noexcept {
        for (Member* m = process_.newest_; m != nullptr; m = m->next_registered) {
            m->unlock_in_parent();
        }
        process_.lock_.unlock();
    }
    static void after_fork_in_child() noexcept {
        for (Member* m = process_.newest_; m != nullptr; m = m->next_registered) {
            m->unlock_in_child();
        }
        process_.lock_.reset();
    }

    Mutex lock_;
    Member* newest_ = nullptr;

    static constinit fork_registry process_;
    static constinit fork_participant participant_;
};

template <class Member, class Mutex>
constinit fork_registry<Member, Mutex> fork_registry<Member, Mutex>::process_{};

template <class Member, class Mutex>
constinit fork_participant fork_registry<Member, Mutex>::participant_{&before_fork, &after_fork_in_parent,
                                                                      &after_fork_in_child};

} // namespace linn::inline LINN_ABI::detail

#endif
