// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_THREAD_CACHE_HPP
#define LINN_DETAIL_SYNC_THREAD_CACHE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/pool_calls.hpp>
#include <linn/detail/sync/registry.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// What a thread knows of the fronts that code of one module attached. Trivially destructible, so it can be asked at any
/// time.
template <class Policy>
struct thread_state {
    front<Policy>* fronts = nullptr; ///< attached ones, to flush at exit
    bool janitor_armed = false;
    bool over = false; ///< the janitor ran: from now on every call goes to the depot
};

/// All that follows up to `attach_here` is each module's own. The loader keeps a module while a thread has to call the
/// destructor of its janitor; so that keeps the fronts in the thread's memory, too, which goes with their module.
template <class Policy>
LINN_DETAIL_HIDDEN inline constinit thread_local thread_state<Policy> this_thread{};

/// Flushes all fronts of the calling thread. Idempotent.
template <class Policy>
LINN_DETAIL_HIDDEN void flush_this_thread() noexcept {
    thread_state<Policy>& state = this_thread<Policy>;
    state.over = true;
    while (front<Policy>* f = state.fronts) {
        state.fronts = f->next_in_thread;
        f->next_in_thread = nullptr;
        f->home->detach(*f);
    }
}

template <class Policy>
[[LINN_DETAIL_COLD]] LINN_DETAIL_HIDDEN bool attach_here(front<Policy>& f, depot<Policy>& d) noexcept {
    if (d.mode() != service::cached) {
        return false;
    }
    thread_state<Policy>& state = this_thread<Policy>;
    state.janitor_armed = state.janitor_armed || call_at_thread_exit<&flush_this_thread<Policy>>();
    if (!state.janitor_armed || state.over) {
        return false;
    }
    if (!d.home_for_thread().attach(f, current_thread())) {
        return false;
    }
    f.next_in_thread = state.fronts;
    state.fronts = &f;
    return true;
}

/// The depot, or null when the pool was never used.
template <class Policy>
depot<Policy>* existing_depot(pool_root<Policy>& root) noexcept {
    return published_depot<Policy>(root.depot_made);
}

/// Calls `is(depot&)` for each home of a pool until it returns true. @returns whether it did
template <class Policy, class Is>
bool any_home(pool_root<Policy>& root, Is&& is) noexcept {
    depot<Policy>* const d = existing_depot(root);
    return d != nullptr && d->any_home(is);
}

/// The depot, made at the first call. Null when there is no memory for it.
template <class Policy>
depot<Policy>* depot_of(pool_root<Policy>& root) noexcept {
    return registry<Policy>::process().depot_in(root.depot_made, *root.description);
}

/// The same for a request of `objects`, of which the observer hears when it fails.
template <class Policy>
depot<Policy>* depot_for(pool_root<Policy>& root, std::size_t objects) noexcept {
    depot<Policy>* d = depot_of(root);
    if (d == nullptr) [[LINN_DETAIL_UNLIKELY]] {
        tell_news({0, 0, shortage::memory}, objects, root.description->sizes.object_bytes,
                  text_of(root.description->type));
    }
    return d;
}

template <class Policy>
void* allocate_slow(front<Policy>& f, pool_root<Policy>& root, const void* caller,
                    attach_function<Policy> attach) noexcept {
    depot<Policy>* d = f.home;
    if (d == nullptr) [[LINN_DETAIL_UNLIKELY]] {
        d = depot_for(root, 1);
        if (d == nullptr) {
            return nullptr;
        }
        if (d->mode() == service::bypass) {
            void* object = nullptr;
            return d->take_bypassed(&object, 1) ? object : nullptr;
        }
        if (!attach(f, *d)) {
            return d->take_one(trace_from(caller));
        }
    }
    return f.home->take(f);
}

template <class Policy>
void deallocate_slow(front<Policy>& f, pool_root<Policy>& root, void* object, const void* caller,
                     attach_function<Policy> attach) noexcept {
    depot<Policy>* d = f.home;
    if (d == nullptr) [[LINN_DETAIL_UNLIKELY]] {
        d = depot_of(root);
        if (d == nullptr) {
            // This module never used the pool and there is no memory to begin: the slab knows.
            const slab* const s = slab::of(object, root.description->sizes.slab_align);
            if (auto* const owner = static_cast<depot<Policy>*>(s->depot()); owner != nullptr) {
                owner->put_one(object, trace_from(caller));
            }
            return;
        }
        if (d->mode() == service::bypass) {
            d->put_bypassed(object);
            return;
        }
        if (!attach(f, *d)) {
            d->put_one(object, trace_from(caller));
            return;
        }
    }
    f.home->put(f, object);
}

template <class Policy>
void* allocate_or_throw(front<Policy>& f, pool_root<Policy>& root, const void* caller,
                        attach_function<Policy> attach) {
    void* p = allocate_slow(f, root, caller, attach);
    if (p == nullptr) {
        throw_bad_alloc();
    }
    return p;
}

/// The depot, made at the first call, of a front that holds nothing; else null.
template <class Policy>
depot<Policy>* unattached(const front<Policy>& f, pool_root<Policy>& root) noexcept {
    return f.home == nullptr ? depot_of(root) : nullptr;
}

template <class Policy>
void deallocate_run(front<Policy>& f, pool_root<Policy>& root, const void* objects, std::size_t count,
                    const void* caller, attach_function<Policy> attach) noexcept {
    if (depot<Policy>* d = unattached(f, root); d != nullptr && d->mode() == service::direct) {
        d->put_run(objects, count, trace_from(caller));
        return;
    }
    const auto* from = static_cast<const std::byte*>(objects);
    for (std::size_t done = 0; done != count; ++done) {
        done += f.push_run(from + done * sizeof(void*), count - done);
        if (done == count) {
            return;
        }
        void* object = nullptr;
        std::memcpy(&object, from + done * sizeof(void*), sizeof object);
        deallocate_slow(f, root, object, caller, attach);
    }
}

template <class Policy>
bool allocate_run(front<Policy>& f, pool_root<Policy>& root, void* out, std::size_t count, const void* caller,
                  attach_function<Policy> attach) noexcept {
    if (depot<Policy>* d = unattached(f, root); d != nullptr && d->mode() != service::cached) {
        return d->mode() == service::bypass ? d->take_bypassed(out, count)
                                            : d->take_run(out, count, trace_from(caller));
    }
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t done = 0; done != count; ++done) {
        done += f.pop_run(to + done * sizeof(void*), count - done);
        if (done == count) {
            break;
        }
        void* const object = allocate_slow(f, root, caller, attach);
        if (object == nullptr) [[LINN_DETAIL_UNLIKELY]] {
            deallocate_run(f, root, out, done, caller, attach);
            return false;
        }
        std::memcpy(to + done * sizeof(void*), &object, sizeof object);
    }
    return true;
}

template <class Policy>
bool reserve(front<Policy>& f, pool_root<Policy>& root, std::size_t objects,
             attach_function<Policy> attach) noexcept {
    depot<Policy>* d = depot_for(root, objects);
    if (d == nullptr) {
        return false;
    }
    return f.home != nullptr || attach(f, *d) ? f.home->reserve(objects) : d->reserve(objects);
}

template <class Policy>
std::size_t trim(front<Policy>& mine, pool_root<Policy>& root) noexcept {
    std::size_t bytes = 0;
    any_home(root, [&](depot<Policy>& home) {
        bytes += home.trim(&mine);
        return false;
    });
    return bytes;
}

template <class Policy>
pool_statistics statistics(pool_root<Policy>& root) noexcept {
    if (depot<Policy>* d = existing_depot(root); d != nullptr) {
        return d->statistics();
    }
    pool_statistics untouched;
    untouched.type = text_of(root.description->type);
    untouched.object_bytes = root.description->sizes.object_bytes;
    untouched.slot_bytes = root.description->sizes.slot_bytes;
    return untouched;
}

template <class Policy>
std::size_t check_objects(pool_root<Policy>& root) noexcept {
    std::size_t found = 0;
    any_home(root, [&](depot<Policy>& home) {
        found += home.check_objects();
        return false;
    });
    return found;
}

template <class Policy>
bool owns(pool_root<Policy>& root, const void* p) noexcept {
    return any_home(root, [p](depot<Policy>& home) { return home.contains(p); });
}

template <class Policy>
bool owns_slot(pool_root<Policy>& root, const void* p) noexcept {
    return owns(root, p) && slab::of(p, root.description->sizes.slab_align)->starts_slot(p);
}

template <class Policy>
std::size_t visit_live(pool_root<Policy>& root, void (*visit)(void* object, void* context), void* context) {
    pointer_list<typename Policy::pages> live;
    if (any_home(root, [&](depot<Policy>& home) { return !home.collect_live(live); })) {
        throw_bad_alloc();
    }
    for (void* p : live) {
        visit(p, context);
    }
    return live.size();
}

} // namespace linn::inline LINN_ABI::detail

#endif
