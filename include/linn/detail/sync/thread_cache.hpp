// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_THREAD_CACHE_HPP
#define LINN_DETAIL_SYNC_THREAD_CACHE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/construct.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/front_block.hpp>
#include <linn/detail/sync/late_thread_exit.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/registry.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// All that follows up to `attach_here` is each module's own. The loader keeps a module while a thread has to call the
/// destructor of its janitor; so that keeps the fronts in the thread's memory, too, which goes with their module.
template <class Policy>
LINN_DETAIL_HIDDEN inline constinit thread_local thread_state<Policy> this_thread{};

/// Flushes all fronts of a thread, which calls it. Idempotent.
template <class Policy>
LINN_DETAIL_HIDDEN void flush_fronts(thread_state<Policy>& state) noexcept {
    state.over = true;
    while (front<Policy>* f = state.fronts) {
        state.fronts = f->next_in_thread;
        f->next_in_thread = nullptr;
        f->home->detach(*f);
    }
}

template <class Policy>
LINN_DETAIL_HIDDEN void flush_this_thread() noexcept {
    flush_fronts(this_thread<Policy>);
}

/// Has a destructor, and so runs when the thread exits; kept apart from all that the hot path and
/// other destructors touch.
template <class Policy>
struct janitor {
    constexpr janitor() noexcept = default;
    janitor(const janitor&) = delete;
    janitor& operator=(const janitor&) = delete;
    LINN_DETAIL_HIDDEN ~janitor() { flush_this_thread<Policy>(); }

    void arm() noexcept { armed = true; }
    bool armed = false;
};

template <class Policy>
LINN_DETAIL_HIDDEN void flush_this_thread_late([[maybe_unused]] void* armed_with) noexcept {
#if defined(_WIN32)
    if constexpr (fronts_by_key) {
        front_block<Policy>::end(armed_with, &flush_fronts<Policy>);
        return;
    }
#endif
    flush_this_thread<Policy>();
}

template <class Policy>
LINN_DETAIL_HIDDEN inline constinit late_thread_exit<&flush_this_thread_late<Policy>> late_flush{this_module};

template <class Policy>
LINN_DETAIL_HIDDEN void arm_janitor() noexcept {
    static constinit thread_local janitor<Policy> at_exit;
    at_exit.arm();
    late_flush<Policy>.arm(&this_thread<Policy>);
    this_thread<Policy>.janitor_armed = true;
}

/// Where the calling thread notes that it attached `f`; null when it may not attach any more.
template <class Policy>
LINN_DETAIL_HIDDEN thread_state<Policy>* state_for([[maybe_unused]] const front<Policy>& f) noexcept {
    if constexpr (thread_locals_last) {
        thread_state<Policy>& state = this_thread<Policy>;
        if (!state.over && !state.janitor_armed) {
            if (module_ends()) {
                return nullptr;
            }
            arm_janitor<Policy>();
        }
        return state.over ? nullptr : &state;
    }
#if defined(_WIN32)
    if constexpr (fronts_by_key) {
        thread_state<Policy>* const state = front_block<Policy>::state_of(f);
        if (state != nullptr && !state->janitor_armed) {
            late_flush<Policy>.arm(front_block<Policy>::to_arm());
            // Without a key, nothing would flush.
            state->janitor_armed = late_flush<Policy>.argument() != nullptr;
        }
        return state != nullptr && state->janitor_armed ? state : nullptr;
    }
#endif
    return nullptr;
}

/// A pool as the slow paths see it.
template <class Policy>
struct pool_handle {
    typename registry<Policy>::slot_type depot{nullptr};
    const pool_description* description = nullptr;
    [[no_unique_address]] front_number<fronts_by_key> number{};

    /// The depot, or null when the pool was never used.
    detail::depot<Policy>* existing() noexcept { return read_published(depot); }

    /// The depot, made at the first call. Null when there is no memory for it.
    detail::depot<Policy>* get() noexcept {
        return registry<Policy>::process().depot_in(depot, *description);
    }

    /// The same for a request of `objects`, of which the observer hears when it fails.
    detail::depot<Policy>* get_for(std::size_t objects) noexcept {
        detail::depot<Policy>* d = get();
        if (d == nullptr) [[__unlikely__]] {
            tell_news({0, 0, shortage::memory}, objects, description->object_bytes, description->type);
        }
        return d;
    }
};

#if defined(_WIN32)
/// The calling thread's front of a pool whose front no variable is; see front_block.
template <class Policy>
[[__gnu__::__always_inline__]] inline front<Policy>& front_here(pool_handle<Policy>& handle) noexcept {
    static_assert(fronts_by_key);
    return front_block<Policy>::here(handle.number);
}
/// The same, made where it can be.
template <class Policy>
LINN_DETAIL_HIDDEN front<Policy>& own_front(pool_handle<Policy>& handle) noexcept {
    return front_block<Policy>::own(handle.number, late_flush<Policy>.over());
}
#endif

/// Attaches `f` if this thread may hold a cache. The janitor comes first: nothing may be cached that is
/// never flushed. For the same reason nothing is cached where `thread_local` variables end too early.
template <class Policy>
LINN_DETAIL_HIDDEN bool attach_here(front<Policy>& f, depot<Policy>& d) noexcept {
    if (d.mode() != service::cached) {
        return false;
    }
    thread_state<Policy>* const state = state_for(f);
    if (state == nullptr) {
        return false;
    }
    d.attach(f, current_thread());
    f.next_in_thread = state->fronts;
    state->fronts = &f;
    return true;
}

/// `attach_here` of the module that the code lies in which names a front: a default argument of the functions below belongs
/// to the code that calls them, while they themselves may be another module's.
template <class Policy>
using attach_function = bool (*)(front<Policy>&, depot<Policy>&) noexcept;

/// What `pool::allocate` does when the hot path has nothing. Null when there is no memory.
/// @param caller in checked builds, where in the user's code
/// @complexity O(1) amortised: one visit of the depot a magazine
template <class Policy>
[[LINN_DETAIL_NOINLINE]] void* allocate_slow(front<Policy>& f, pool_handle<Policy>& handle,
                                             const void* caller = nullptr,
                                             attach_function<Policy> attach = &attach_here<Policy>) noexcept {
    depot<Policy>* d = f.home;
    if (d == nullptr) [[__unlikely__]] {
        d = handle.get_for(1);
        if (d == nullptr) {
            return nullptr;
        }
        if (d->mode() == service::bypass) {
            return d->take_bypassed();
        }
        if (!attach(f, *d)) {
            return d->take_one(trace_from(caller));
        }
    }
    return d->take(f);
}

/// What `pool::deallocate` does when the loaded magazine is full or there is none.
template <class Policy>
[[LINN_DETAIL_NOINLINE]] void
deallocate_slow(front<Policy>& f, pool_handle<Policy>& handle, void* object, const void* caller = nullptr,
                attach_function<Policy> attach = &attach_here<Policy>) noexcept {
    depot<Policy>* d = f.home;
    if (d == nullptr) [[__unlikely__]] {
        d = handle.get();
        if (d == nullptr) {
            // This module never used the pool and there is no memory to begin: the slab knows.
            const slab* const s = slab::of(object, handle.description->sizes.slab_align);
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
    d->put(f, object);
}

/// As `allocate_slow`. @throws std::bad_alloc in place of null
template <class Policy>
[[LINN_DETAIL_NOINLINE, __gnu__::__returns_nonnull__]] void*
allocate_or_throw(front<Policy>& f, pool_handle<Policy>& handle, const void* caller,
                  attach_function<Policy> attach = &attach_here<Policy>) {
    void* p = allocate_slow(f, handle, caller, attach);
    if (p == nullptr) {
        throw_bad_alloc();
    }
    return p;
}

/// The depot, made at the first call, of a front that holds nothing; else null.
template <class Policy>
depot<Policy>* unattached(const front<Policy>& f, pool_handle<Policy>& handle) noexcept {
    return f.home == nullptr ? handle.get() : nullptr;
}

/// Takes `count` objects back: what `objects`, an array of pointers of any type, holds from the first on.
/// @complexity O(count): magazines are filled by copying
template <class Policy>
void deallocate_run(front<Policy>& f, pool_handle<Policy>& handle, const void* objects, std::size_t count,
                    const void* caller = nullptr,
                    attach_function<Policy> attach = &attach_here<Policy>) noexcept {
    if (depot<Policy>* d = unattached(f, handle); d != nullptr && d->mode() == service::direct) {
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
        deallocate_slow(f, handle, object, caller, attach);
    }
}

/// Writes pointers to `count` objects into `out`, an array of pointers of any type.
/// @returns false when there is no memory for all; then none is taken
/// @complexity O(count): magazines are emptied by copying
template <class Policy>
[[nodiscard]] bool allocate_run(front<Policy>& f, pool_handle<Policy>& handle, void* out, std::size_t count,
                                const void* caller = nullptr,
                                attach_function<Policy> attach = &attach_here<Policy>) noexcept {
    if (depot<Policy>* d = unattached(f, handle); d != nullptr && d->mode() != service::cached) {
        return d->mode() == service::bypass ? d->take_bypassed_run(out, count)
                                            : d->take_run(out, count, trace_from(caller));
    }
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t done = 0; done != count; ++done) {
        done += f.pop_run(to + done * sizeof(void*), count - done);
        if (done == count) {
            break;
        }
        void* const object = allocate_slow(f, handle, caller, attach);
        if (object == nullptr) [[__unlikely__]] {
            deallocate_run(f, handle, out, done, caller, attach);
            return false;
        }
        std::memcpy(to + done * sizeof(void*), &object, sizeof object);
    }
    return true;
}

} // namespace linn::inline LINN_ABI::detail

#endif
