// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MODULE_HPP
#define LINN_DETAIL_SYNC_MODULE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/os/leak_roots.hpp>
#include <linn/detail/os/module_image.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// What happens to a module, a program or a shared library.
enum class module_event : unsigned char {
    before_fork,          ///< no thread may be inside a part while the process is copied: locks all of it
    after_fork_in_parent, ///< it releases them
    after_fork_in_child,  ///< it resets them, and forgets the threads that are gone
    /// `dlclose` unloads the module, or the process is past the destructors of static objects. What the part holds of
    /// others must not refer to it any more. Static objects of the module may still use it.
    end,
};

class module_record;

/// Makes a variable of the library a part of the module that it lies in. A member of that variable, which is
/// constant-initialised: the initialiser is compiled into that module, so it is the one place that knows the module. The code
/// that uses the variable may belong to another one: the dynamic linker merges functions and variables by name, each by
/// itself. It keeps the module of a variable loaded while one that uses it is.
class module_part : public fork_stopper {
public:
    using handler = void (*)(void* self, module_event) noexcept;

    constexpr module_part() noexcept : fork_stopper{&join_record} {} ///< of a variable that gets no events
    /// @param h is called with `self`; it takes no lock of another part, and calls nothing of `module_record`
    constexpr module_part(module_record& where, void* self, handler h) noexcept
        : fork_stopper{&join_record},
          where_{&where},
          self_{self},
          handler_{h} {}

private:
    friend class module_record;

    [[LINN_DETAIL_COLD]] static inline void join_record(fork_stopper& part) noexcept;

    module_record* where_ = nullptr;
    void* self_ = nullptr;
    handler handler_ = nullptr;
    module_part* next_ = nullptr; ///< under the record's lock, as the next two
    bool listed_ = false;
    bool stopped_ = false; ///< between before_fork and what follows it
};

/// One a module: its parts, and the handlers around forks that stop them.
///
/// No list has members of two modules, so nothing must be taken out of a list before a module is unloaded, and no list
/// goes with its module while another module is in it. The C library forgets the handlers of a module that it unloads, after
/// the last destructor of the module.
///
/// Parts are stopped in the order in which they joined. So none may hold its own lock while it takes that of another.
class module_record {
public:
    /// @param install calls `at_fork` in the record's own module
    constexpr explicit module_record(void (*install)() noexcept) noexcept : install_{install} {}

    [[LINN_DETAIL_COLD]] void join(module_part& p) noexcept {
        {
            lock_guard<mutex> guard{lock_};
            if (!p.listed_) {
                p.listed_ = true;
                module_part** end = &first_;
                while (*end != nullptr) {
                    end = &(*end)->next_;
                }
                *end = &p;
            }
        }
        // No lock is held: it may allocate. A thread that finds another one at it does the same, rather than to wait for
        // a thread that a fork may leave behind: to be installed twice does no harm.
        if (!installed_.load(std::memory_order_relaxed)) {
            install_();
            set_flag(installed_, true);
        }
        p.set_joined(true);
    }

    [[LINN_DETAIL_COLD]] void before_fork() noexcept {
        if (lock_.held_for_fork()) {
            return; // installed twice
        }
        // Another module may be stopped already: a thread that waits for the roots may hold a lock of a part of this one.
        process_leak_roots.release_after_fork();
        lock_.lock_for_fork();
        for (module_part* p = first_; p != nullptr; p = p->next_) {
            p->handler_(p->self_, module_event::before_fork);
            p->stopped_ = true;
        }
        process_leak_roots.hold_for_fork(); // last: threads go there with and without a lock of a part
    }

    [[LINN_DETAIL_COLD]] void after_fork(module_event in_which) noexcept {
        if (!lock_.held_for_fork()) {
            return;
        }
        process_leak_roots.release_after_fork();
        for (module_part* p = first_; p != nullptr; p = p->next_) {
            if (p->stopped_) { // else it joined from a fork handler of the program
                p->stopped_ = false;
                p->handler_(p->self_, in_which);
            }
        }
        on_fork(lock_, in_which);
    }

    /// The module ends. Waits for a fork that is under way.
    [[LINN_DETAIL_COLD]] void end() noexcept {
        if (ending.exchange(true, std::memory_order_relaxed)) {
            return; // each translation unit asks
        }
        if (auto* const report = last_words.load(std::memory_order_relaxed); report != nullptr) {
            report();
        }
        lock_guard<mutex> guard{lock_};
        for (module_part* p = first_; p != nullptr; p = p->next_) {
            p->handler_(p->self_, module_event::end);
        }
    }

    /// A thread must not ask for a call at its exit then. glibc keeps a module loaded while a thread-exit callback is
    /// registered, but once its static destructors run it is too late: the thread would call code that is gone.
    std::atomic<bool> ending{false};
    /// Called at the end, while all parts are as they were.
    std::atomic<void (*)()> last_words{nullptr};

    /// What a part with a single lock does at a fork.
    template <class Mutex>
    static void on_fork(Mutex& m, module_event e) noexcept {
        switch (e) {
        case module_event::before_fork:
            m.lock_for_fork();
            break;
        case module_event::after_fork_in_parent:
            m.unlock_after_fork();
            break;
        case module_event::after_fork_in_child:
            m.reset();
            break;
        case module_event::end:
            break;
        }
    }

private:
    void (*install_)() noexcept;
    mutex lock_{known_to_forks{}}; // which is what makes the others known
    module_part* first_ = nullptr;
    std::atomic<bool> installed_{false};
};

void module_part::join_record(fork_stopper& part) noexcept {
    auto& p = static_cast<module_part&>(part);
    if (p.where_ != nullptr) {
        p.where_->join(p);
    }
}

LINN_DETAIL_HIDDEN inline void install_fork_handlers() noexcept;

/// The module that the code lies in which names it.
LINN_DETAIL_HIDDEN inline constinit module_record this_module{&install_fork_handlers};

LINN_DETAIL_HIDDEN inline void end_module() {
    this_module.end();
}
LINN_DETAIL_HIDDEN inline void before_fork() {
    this_module.before_fork();
}
LINN_DETAIL_HIDDEN inline void after_fork_in_parent() {
    this_module.after_fork(module_event::after_fork_in_parent);
}
LINN_DETAIL_HIDDEN inline void after_fork_in_child() {
    this_module.after_fork(module_event::after_fork_in_child);
}

inline void install_fork_handlers() noexcept {
    static_cast<void>(&at_program_end<&end_module>); // odr-use registers it
    at_fork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
}

/// Whether the module ends that this code lies in. @threads any thread
LINN_DETAIL_HIDDEN inline bool module_ends() noexcept {
    return this_module.ending.load(std::memory_order_relaxed);
}

/// Puts a function of the program, or null, into `Variable`, which is atomic and may be another module's. When the module ends
/// that calls this, and the function lies in it, it is taken out again.
/// @returns what was there before
template <auto& Variable, class Function>
LINN_DETAIL_HIDDEN Function exchange_handler(Function f) noexcept {
    static_cast<void>(&at_program_end<&take_along<Variable>>); // odr-use registers it
    note_release(&Variable);
    // acq_rel: pairs with the acquire in read_published, and with itself
    return Variable.exchange(f, std::memory_order_acq_rel);
}

/// An object that is made at its first use and never destroyed: what a local static variable would be, but for the guard. A
/// thread that makes such a variable may not exist in the child of a fork, where the guard then says "in progress" for ever.
/// A fork waits for the lock here.
///
/// @tparam T its default constructor throws nothing, and waits for nothing
template <class T>
class immortal {
public:
    constexpr explicit immortal(module_record& where) noexcept : part_{where, this, &on_event} {}

    T* get() noexcept {
        T* made = read_published(made_);
        return made != nullptr ? made : make();
    }

private:
    [[LINN_DETAIL_NOINLINE]] T* make() noexcept {
        lock_guard<mutex> guard{lock_};
        T* made = made_.load(std::memory_order_relaxed);
        if (made == nullptr) {
            made = ::new (static_cast<void*>(place_)) T;
            publish(made_, made);
        }
        return made;
    }

    static void on_event(void* self, module_event e) noexcept {
        module_record::on_fork(static_cast<immortal*>(self)->lock_, e);
    }

    std::atomic<T*> made_{nullptr};
    module_part part_;
    mutex lock_{part_};
    alignas(T) std::byte place_[sizeof(T)]{};
};

template <class Member, class Mutex>
class fork_registry;

/// What a member knows of its registry, for the member to inherit.
template <class Member, class Mutex = mutex>
struct in_fork_registry : fork_stopper {
    in_fork_registry() noexcept : in_fork_registry{&fork_registry<Member, Mutex>::enter_process} {}
    explicit in_fork_registry(join_function how) noexcept : fork_stopper{how} {}

    /// Whether its memory is sure to be there in a child of a fork that is without the other threads. Else it leaves the
    /// registry there, until it is used again.
    [[nodiscard]] static constexpr bool outlives_threads(const module_image&) noexcept { return true; }

    Member* next_registered = nullptr; ///< guarded by the registry's lock, as the next
    Member* previous_registered = nullptr;
    /// Null while it is in none. A number: see `depot_place`.
    std::atomic<std::uintptr_t> registered_in{0};

private:
    friend class fork_registry<Member, Mutex>;
};

/// Takes what lies in this module out of a registry, which may be another module's: an object in a static variable that is
/// never destroyed.
template <class Registry>
LINN_DETAIL_HIDDEN void leave_with_this_module() {
    Registry::process().leave_if([here = module_image::here()](const auto& m) { return here.contains(&m); });
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
    constexpr explicit fork_registry(module_record& where, module_part::handler h = &on_event) noexcept
        : part_{where, this, h} {}

    static fork_registry& process() noexcept { return process_; }

    /// Does nothing when `m` is in one already. @complexity a load, then
    void enter(Member& m) noexcept {
        if (m.registered_in.load(std::memory_order_relaxed) == 0) [[LINN_DETAIL_UNLIKELY]] {
            lock_guard<Mutex> guard{lock_};
            add(m);
        }
    }

    /// Enters the one of the process: how a member joins when it is locked.
    static void enter_process(fork_stopper& m) noexcept {
        static_cast<void>(&at_program_end<&leave_with_this_module<fork_registry>>); // odr-use registers it
        process().enter(static_cast<Member&>(m));
    }

    /// Takes `m` out of the registry that it is in, if any. When this returns, no fork has locks of `m`, and no `any` looks
    /// at it.
    static void leave(Member& m) noexcept {
        if (auto* const r = reinterpret_cast<fork_registry*>(m.registered_in.load()); r != nullptr) {
            lock_guard<Mutex> guard{r->lock_};
            r->remove(m);
            m.set_joined(false);
        }
    }

    /// Takes all members out for which `leaves(member)` holds.
    template <class If>
    void leave_if(If&& leaves) noexcept {
        lock_guard<Mutex> guard{lock_};
        for (Member* m = members_.front(); m != nullptr;) {
            Member* const next = m->next_registered;
            if (leaves(*m)) {
                remove(*m);
            }
            m = next;
        }
    }

    /// For tests.
    [[nodiscard]] bool empty() noexcept {
        return !any([](const Member&) { return true; });
    }

    /// Whether `is(member)` holds for one of them; it may take locks of the member.
    template <class Is>
    bool any(Is&& is) noexcept {
        lock_guard<Mutex> guard{lock_};
        for (Member* m = members_.front(); m != nullptr; m = m->next_registered) {
            if (is(*m)) {
                return true;
            }
        }
        return false;
    }

protected:
    /// @pre the lock is held
    void add(Member& m) noexcept {
        std::uintptr_t none = 0;
        // relaxed: of two modules that do it one does; what a member is, its lock orders
        if (m.registered_in.compare_exchange_strong(none, reinterpret_cast<std::uintptr_t>(this),
                                                    std::memory_order_relaxed)) {
            members_.push_front(&m);
            m.set_joined(true);
        }
    }

    static void on_event(void* self, module_event e) noexcept {
        auto& r = *static_cast<fork_registry*>(self);
        switch (e) {
        case module_event::before_fork:
            r.lock_.lock_for_fork();
            for (Member* m = r.members_.front(); m != nullptr; m = m->next_registered) {
                m->lock_for_fork();
            }
            break;
        case module_event::after_fork_in_parent:
            for (Member* m = r.members_.front(); m != nullptr; m = m->next_registered) {
                m->unlock_in_parent();
            }
            r.lock_.unlock_after_fork();
            break;
        case module_event::after_fork_in_child:
            r.after_fork_in_child();
            r.lock_.reset();
            break;
        case module_event::end:
            r.leave_if([](const Member&) { return true; });
            break;
        }
    }

    module_part part_;
    Mutex lock_{part_};

private:
    /// Now all members are as they were at the fork. Later the memory of those that leave may belong to another thread.
    void after_fork_in_child() noexcept {
        const module_image image = module_image::here();
        for (Member* m = members_.front(); m != nullptr;) {
            Member* const next = m->next_registered;
            m->unlock_in_child();
            if (!m->outlives_threads(image)) {
                remove(*m);
                m->set_joined(false);
            }
            m = next;
        }
    }

    void remove(Member& m) noexcept {
        members_.remove(&m);
        set_flag(m.registered_in, std::uintptr_t{0});
    }

    using neighbours = in_fork_registry<Member, Mutex>;
    linked_list<Member, &neighbours::next_registered, &neighbours::previous_registered>
        members_; ///< newest first

    static constinit fork_registry process_;
};

template <class Member, class Mutex>
constinit fork_registry<Member, Mutex> fork_registry<Member, Mutex>::process_{this_module};

} // namespace linn::inline LINN_ABI::detail

#endif
