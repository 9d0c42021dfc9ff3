// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FORK_REGISTRY_HPP
#define LINN_DETAIL_SYNC_FORK_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/module_image.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>

namespace linn::inline LINN_ABI::detail {

template <class Member, class Mutex>
class fork_registry;

/// Neighbours of a member in its registry, for the member to inherit. Guarded by the registry's lock.
template <class Member, class Mutex = mutex>
struct in_fork_registry : fork_stopper {
    in_fork_registry() noexcept : fork_stopper{&fork_registry<Member, Mutex>::enter_process} {}

    /// Whether its memory is sure to be there in a child of a fork that is without the other threads. Else it leaves the
    /// registry there, until it is used again.
    [[nodiscard]] static constexpr bool outlives_threads(const module_image&) noexcept { return true; }

    Member* next_registered = nullptr;
    Member* previous_registered = nullptr;
    void* registered_in = nullptr; ///< null while it is in none

private:
    friend class fork_registry<Member, Mutex>;
};

/// Takes what lies in this module out of a registry, which may be another module's: an object in a static variable that is
/// never destroyed.
template <class Registry>
LINN_DETAIL_HIDDEN void leave_with_this_module() {
    Registry::process().leave_all_in(module_image::here());
}

/// All objects of one kind, so that a fork finds their locks. Constant-initialised and never destroyed. When the module ends
/// that it lies in, its members are in none.
///
/// Order of locks: the registry's, then those of the members, newest first. A member takes the
/// registry's lock only while it holds none.
///
/// @tparam Member is `in_fork_registry<Member, Mutex>` and has `lock_for_fork()`, `unlock_in_parent()` and
///         `unlock_in_child()`; the last also forgets what the threads that are gone had half done
template <class Member, class Mutex = mutex>
class fork_registry {
public:
    constexpr fork_registry() = default; ///< for tests: no fork concerns it
    constexpr explicit fork_registry(module_record& where) noexcept : part_{where, this, &on_event} {}
    fork_registry(const fork_registry&) = delete;
    fork_registry& operator=(const fork_registry&) = delete;

    static fork_registry& process() noexcept { return process_; }

    /// Does nothing when `m` is in one already.
    void enter(Member& m) noexcept {
        static_cast<void>(&at_program_end<&leave_with_this_module<fork_registry>>); // odr-use registers it
        lock_guard<Mutex> guard{lock_};
        if (m.registered_in != nullptr) {
            return;
        }
        m.registered_in = this;
        m.previous_registered = nullptr;
        m.next_registered = newest_;
        if (newest_ != nullptr) {
            newest_->previous_registered = &m;
        }
        newest_ = &m;
        m.set_joined(true);
    }

    /// Enters the one of the process: how a member joins when it is locked.
    static void enter_process(fork_stopper& m) noexcept { process().enter(static_cast<Member&>(m)); }

    /// Takes `m` out of the registry that it is in, if any. When this returns, no fork has locks of `m`, and no `any` looks
    /// at it.
    static void leave(Member& m) noexcept {
        if (auto* const r = static_cast<fork_registry*>(m.registered_in); r != nullptr) {
            lock_guard<Mutex> guard{r->lock_};
            r->unlink(m);
            m.set_joined(false);
        }
    }

    /// Takes all members out that lie in `image`.
    void leave_all_in(const module_image& image) noexcept {
        leave_if([&](const Member& m) { return image.contains(&m); });
    }

    void leave_all() noexcept {
        leave_if([](const Member&) { return true; });
    }

    /// For tests.
    [[nodiscard]] bool empty() noexcept {
        return !any([](const Member&) { return true; });
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
    static void on_event(void* self, module_event e) noexcept {
        auto& r = *static_cast<fork_registry*>(self);
        switch (e) {
        case module_event::before_fork:
            r.lock_.lock_for_fork();
            for (Member* m = r.newest_; m != nullptr; m = m->next_registered) {
                m->lock_for_fork();
            }
            break;
        case module_event::after_fork_in_parent:
            for (Member* m = r.newest_; m != nullptr; m = m->next_registered) {
                m->unlock_in_parent();
            }
            r.lock_.unlock_after_fork();
            break;
        case module_event::after_fork_in_child:
            r.after_fork_in_child();
            r.lock_.reset();
            break;
        case module_event::end:
            r.leave_all();
            break;
        }
    }

    /// Now all members are as they were at the fork. Later the memory of those that leave may belong to another thread.
    void after_fork_in_child() noexcept {
        const module_image image = module_image::here();
        for (Member* m = newest_; m != nullptr;) {
            Member* const next = m->next_registered;
            m->unlock_in_child();
            if (!m->outlives_threads(image)) {
                unlink(*m);
                m->set_joined(false);
            }
            m = next;
        }
    }

    template <class If>
    void leave_if(If&& leaves) noexcept {
        lock_guard<Mutex> guard{lock_};
        for (Member* m = newest_; m != nullptr;) {
            Member* const next = m->next_registered;
            if (leaves(*m)) {
                unlink(*m);
            }
            m = next;
        }
    }

    void unlink(Member& m) noexcept {
        (m.previous_registered != nullptr ? m.previous_registered->next_registered : newest_) =
            m.next_registered;
        if (m.next_registered != nullptr) {
            m.next_registered->previous_registered = m.previous_registered;
        }
        m.registered_in = nullptr;
    }

    module_part part_;
    Mutex lock_{part_};
    Member* newest_ = nullptr;

    static constinit fork_registry process_;
};

template <class Member, class Mutex>
constinit fork_registry<Member, Mutex> fork_registry<Member, Mutex>::process_{this_module};

} // namespace linn::inline LINN_ABI::detail

#endif
