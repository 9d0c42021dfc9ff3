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
///
/// Forks stop the depots of a module by its registry. When that module has ended, of a hidden plugin, say, whose objects the program
/// frees, the registry of the module that frees them goes on with it (`enter`).
template <class Policy>
class registry : public fork_registry<depot<Policy>, typename Policy::mutex> {
    using base = fork_registry<depot<Policy>, typename Policy::mutex>;

public:
    using depot_type = depot<Policy>;
    using slot_type = depot_place<Policy>;

    constexpr registry() = default; ///< for tests: no fork concerns it
    constexpr explicit registry(module_record& where) noexcept : base{where, &on_event}, arena_{where} {}

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
        lock_guard<typename Policy::mutex> guard{this->lock_};
        return newest_;
    }

    /// The registry that serves the program's own pools.
    static registry& process() noexcept { return process_; }

    typename Policy::template atomic<std::uint64_t> swept_ms{0}; ///< see depot::sweep_others

private:
    /// @param primary of the pool of which a home is made; null where it is the primary that is made
    [[LINN_DETAIL_COLD]] depot_type* make(slot_type& slot, const pool_description& d,
                                          depot_type* primary) noexcept {
        if constexpr (checked_build && std::is_same_v<Policy, platform>) {
            static_cast<void>(&at_program_end<&check_all_depots_at_exit<Policy>>); // odr-use registers it
        }
        // The name is copied because the module that it lies in may be unloaded.
        void* memory = arena_.allocate(sizeof(depot_type) + d.type.size);
        if (memory == nullptr) {
            return nullptr;
        }
        lock_guard<typename Policy::mutex> guard{this->lock_};
        if (const std::uintptr_t made = slot.load(std::memory_order_relaxed); made != 0) {
            return reinterpret_cast<depot_type*>(made); // another thread was faster: the memory stays unused
        }
        auto* name = static_cast<char*>(memory) + sizeof(depot_type);
        std::memcpy(name, d.type.text, d.type.size);
        auto* made = ::new (memory) depot_type{
            d, std::string_view{name, d.type.size},
            primary != nullptr ? primary->mode() : service_here(d.sizes.limited()), arena_, primary};
        made->older = newest_;
        newest_ = made;
        this->add(*made);
        publish(slot, reinterpret_cast<std::uintptr_t>(made));
        return made;
    }

    /// Static objects of a module that has ended use its depots until it is gone: it goes on to stop those that no other one stops.
    static void on_event(void* self, module_event e) noexcept {
        auto& r = static_cast<registry&>(*static_cast<base*>(self));
        if (r.ended_ && e == module_event::before_fork) {
            const lock_guard<typename Policy::mutex> guard{r.lock_};
            for (depot_type* d = r.newest_; d != nullptr; d = d->older) {
                r.add(*d);
            }
        }
        base::on_event(self, e);
        r.ended_ = r.ended_ || e == module_event::end;
        if (r.ended_ && e != module_event::before_fork) {
            base::on_event(self, module_event::end);
        }
    }

    metadata_arena<Policy> arena_;
    depot_type* newest_ = nullptr;
    bool ended_ = false; ///< its module; only events look at it

    static constinit registry process_;
};

template <class Policy>
constinit registry<Policy> registry<Policy>::process_{this_module};

template <class Policy>
void depot<Policy>::hand_over_run(void** objects, std::size_t count, const call_trace& by) noexcept {
    while (count != 0) {
        auto* owner = static_cast<depot*>(slab::of(objects[0], description_.sizes.slab_align)->depot());
        if (owner != nullptr && is_sibling(*owner)) {
            registry<Policy>::process().enter(*owner);
            count = owner->give_some(objects, count, by);
        } else {
            refusal wrong{objects[0], misuse_kind::wrong_pool};
            tell_handler(wrong, owner);
            objects[0] = objects[--count];
        }
    }
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
