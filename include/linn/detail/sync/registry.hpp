// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_REGISTRY_HPP
#define LINN_DETAIL_SYNC_REGISTRY_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
void check_all_depots_at_exit();

/// All depots of the process, and the memory that they live in. Constant-initialised and never
/// destroyed: reachable from static constructors and destructors alike.
template <class Policy>
class registry {
public:
    using depot_type = depot<Policy>;
    using slot_type = depot_place<Policy>;

    constexpr registry() = default; ///< for tests: no fork concerns it
    constexpr explicit registry(module_record& where) noexcept : part_{where, this, &on_event} {}

    /// The depot in `slot`, made at the first call. Null when there is no memory for it.
    /// @threads any thread
    depot_type* depot_in(slot_type& slot, const pool_description& d) noexcept {
        depot_type* found = published_depot<Policy>(slot);
        return found != nullptr ? found : make(slot, d, nullptr);
    }

    /// Another home of a pool, in its place among them. Null when there is no memory for it.
    depot_type* make_home(depot_type& primary, std::size_t place) noexcept {
        return make(primary.homes_[place], primary.description_, &primary);
    }

    /// The depots made so far; follow `older`. A depot is never removed.
    [[LINN_DETAIL_COLD]] depot_type* newest() noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        return newest_;
    }

    /// Sees to it that forks go on to stop a depot whose module has ended: of a hidden plugin, say, whose objects the
    /// program frees. Asked before each such free; the first one does it.
    void adopt(depot_type& d) noexcept {
        if (!d.orphaned.load(std::memory_order_relaxed)) [[LINN_DETAIL_LIKELY]] {
            return;
        }
        adopt_orphan(d);
    }

    /// The registry that serves the program's own pools.
    static registry& process() noexcept { return process_; }

private:
    [[LINN_DETAIL_COLD]] void adopt_orphan(depot_type& d) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        // relaxed: of two modules one does it; the fork that does not find it in the list is over when this returns
        if (d.orphaned.exchange(false, std::memory_order_relaxed)) {
            d.next_adopted = adopted_;
            adopted_ = &d;
        }
    }

    /// @param primary of the pool of which a home is made; null where it is the primary that is made
    [[LINN_DETAIL_COLD]] depot_type* make(slot_type& slot, const pool_description& d,
                                          depot_type* primary) noexcept {
        if constexpr (checked_build && std::is_same_v<Policy, platform>) {
            static_cast<void>(&at_program_end<&check_all_depots_at_exit<Policy>>); // odr-use registers it
        }
        lock_guard<typename Policy::mutex> guard{lock_};
        if (const std::uintptr_t made = slot.load(std::memory_order_relaxed); made != 0) {
            return reinterpret_cast<depot_type*>(made);
        }
        // The name is copied because the module that it lies in may be unloaded.
        void* memory = arena_.allocate(sizeof(depot_type) + d.type.size);
        if (memory == nullptr) {
            return nullptr;
        }
        auto* name = static_cast<char*>(memory) + sizeof(depot_type);
        std::memcpy(name, d.type.text, d.type.size);
        auto* made = ::new (memory) depot_type{
            d, std::string_view{name, d.type.size},
            primary != nullptr ? primary->mode() : service_here(d.sizes.limited()), arena_, primary};
        made->older = newest_;
        newest_ = made;
        publish(slot, reinterpret_cast<std::uintptr_t>(made));
        return made;
    }

    [[LINN_DETAIL_COLD]] static void stop(depot_type& d) noexcept {
        if (!d.lock().held_for_fork()) { // its own module may still be there
            d.lock().lock_for_fork();
        }
    }

    [[LINN_DETAIL_COLD]] static void on_event(void* self, module_event e) noexcept {
        auto& r = *static_cast<registry*>(self);
        switch (e) {
        case module_event::before_fork: // takes every lock, in their order
            r.lock_.lock_for_fork();
            r.for_each_depot(&stop);
            r.arena_.lock().lock_for_fork();
            break;
        case module_event::after_fork_in_parent:
            r.arena_.lock().unlock_after_fork();
            r.for_each_depot([](depot_type& d) { d.lock().unlock_after_fork(); });
            r.lock_.unlock_after_fork();
            break;
        case module_event::after_fork_in_child:
            r.arena_.lock().reset();
            r.for_each_depot([survivor = current_thread()](depot_type& d) {
                d.forget_threads_but(survivor);
                d.lock().reset();
            });
            r.lock_.reset();
            break;
        case module_event::end: // depots, and all that they refer to, outlive the module
            lock_guard<typename Policy::mutex> guard{r.lock_};
            r.for_each_depot([](depot_type& d) { set_flag(d.orphaned, true); });
            r.adopted_ = nullptr;
            break;
        }
    }

    /// Calls `f` for each depot that forks stop by this registry.
    template <class F>
    void for_each_depot(F&& f) {
        for (depot_type* d = newest_; d != nullptr; d = d->older) {
            f(*d);
        }
        for (depot_type* d = adopted_; d != nullptr; d = d->next_adopted) {
            f(*d);
        }
    }

    module_part part_;
    typename Policy::mutex lock_{part_};
    metadata_arena<Policy> arena_{part_};
    depot_type* newest_ = nullptr;
    depot_type* adopted_ = nullptr; ///< of modules that are gone

    static constinit registry process_;
};

template <class Policy>
constinit registry<Policy> registry<Policy>::process_{this_module};

template <class Policy>
depot<Policy>* depot<Policy>::owner_of(const void* object) noexcept {
    for (depot* d = registry<Policy>::process().newest(); d != nullptr; d = d->older) {
        if (d->primary_ != primary_ && d->contains(object)) {
            return d;
        }
    }
    return nullptr;
}

template <class Policy>
template <class Visit>
void depot<Policy>::for_each_sibling(Visit&& visit) noexcept {
    for (depot* d = registry<Policy>::process().newest(); d != nullptr; d = d->older) {
        if (d != this && is_sibling(*d) && !visit(*d)) {
            return;
        }
    }
}

template <class Policy>
depot<Policy>& depot<Policy>::home_for_thread() noexcept {
    depot* best = this;
    for (std::size_t i = 0; i != most_homes; ++i) {
        depot* home = published_depot<Policy>(homes_[i]);
        const std::uint32_t fewest = best->threads_.load(std::memory_order_relaxed);
        if (home == nullptr) {
            depot* made = fewest != 0 ? registry<Policy>::process().make_home(*this, i) : nullptr;
            return made != nullptr ? *made : *best;
        }
        if (home->threads_.load(std::memory_order_relaxed) < fewest) {
            best = home;
        }
    }
    return *best;
}

template <class Policy>
void depot<Policy>::hand_over_run(void** objects, std::size_t count, const call_trace& by) noexcept {
    while (count != 0) {
        auto* owner = static_cast<depot*>(slab::of(objects[0], description_.sizes.slab_align)->depot());
        if (owner != nullptr && is_sibling(*owner)) {
            registry<Policy>::process().adopt(*owner);
            count = owner->give_some(objects, count, by);
        } else {
            refusal wrong{objects[0], misuse_kind::wrong_pool};
            tell_handler(wrong, owner);
            objects[0] = objects[--count];
        }
    }
}

template <class Policy>
void depot<Policy>::tell_handler(const refusal& r, depot* owner) noexcept {
    misuse m{owner != nullptr ? misuse_kind::wrong_pool : r.why, name(), r.object, 1};
    m.object_bytes = sizes().object_bytes;
    r.add_to(m);
    if (owner == nullptr) {
        report(m);
        return;
    }
    refusal theirs{r.object, r.why};
    if constexpr (checked_build) {
        theirs.note(owner->evidence_of(r.object));
    }
    theirs.add_to(m);
    m.belongs_to = owner->name();
    report(m);
}

template <class Policy>
bool depot<Policy>::take_bypassed(void* out, std::size_t count) noexcept {
    auto* const objects = static_cast<std::byte*>(out);
    shortage why = locked([&] { return count <= bypass_.room() ? shortage::none : shortage::limit; });
    std::size_t made = 0;
    while (why == shortage::none && made != count) {
        void* const object = bypass_.allocate();
        why = object != nullptr ? shortage::none : shortage::memory;
        if (object != nullptr) {
            std::memcpy(objects + made * sizeof object, &object, sizeof object);
            ++made;
        }
    }
    // They count only now, and all at once: a call that fails takes no place below the limit from another thread.
    if (why == shortage::none) {
        why = locked([&] { return bypass_.note(objects, count); });
    }
    if (why != shortage::none) {
        while (made-- != 0) {
            bypass_.deallocate(bypass<Policy>::pointer_at(objects, made));
        }
    }
    tell({0, 0, why}, why == shortage::none ? 0 : count);
    return why == shortage::none;
}

template <class Policy>
void depot<Policy>::put_bypassed(void* object) noexcept {
    const auto strike = [object](depot& d) { return d.locked([&] { return d.bypass_.strike(object); }); };
    bool known = strike(*this);
    if (!known) [[LINN_DETAIL_UNLIKELY]] {
        for_each_sibling([&](depot& other) {
            known = strike(other);
            return !known;
        });
        if (depot* owner = known ? nullptr : owner_of(object); owner != nullptr) {
            refusal wrong{object, misuse_kind::wrong_pool};
            tell_handler(wrong, owner);
            return;
        }
    }
    bypass_.deallocate(object);
}

/// Looks at all pools; see depot::check. @returns the number of misuses reported
template <class Policy>
std::size_t check_all_depots() noexcept {
    std::size_t found = 0;
    for (depot<Policy>* d = registry<Policy>::process().newest(); d != nullptr; d = d->older) {
        found += d->check_objects();
    }
    return found;
}

/// The same at the end of the program.
template <class Policy>
void check_all_depots_at_exit() {
    check_all_depots<Policy>();
}

} // namespace linn::inline LINN_ABI::detail

#endif
