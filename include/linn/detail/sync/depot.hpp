// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_DEPOT_HPP
#define LINN_DETAIL_SYNC_DEPOT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/pointer_list.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/pool_description.hpp>
#include <linn/detail/core/service.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/os/usdt.hpp>
#include <linn/detail/sync/bypass.hpp>
#include <linn/detail/sync/depot_stock.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/metadata_arena.hpp>
#include <linn/detail/sync/misuse.hpp>
#include <linn/detail/sync/observer.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// The middle of a pool: one lock around its `depot_stock`, and what must be done outside of it. Threads
/// come here once in a magazine. It lives in the metadata arena and is never destroyed.
///
/// What the stock refuses is reported, what belongs to another depot is handed over to it, and what the system gets back goes
/// back, when the lock is released.
///
/// Lock order: registry, then depots, then the metadata arena. No misuse handler runs under a lock, and
/// no system call that returns memory but in an explicit trim.
template <class Policy>
class depot {
public:
    using front_type = front<Policy>;
    using stock = depot_stock<Policy>;
    using mutex_type = typename Policy::mutex;

    depot(const pool_description& d, std::string_view name, service mode,
          metadata_arena<Policy>& arena) noexcept
        : description_{d.sizes, d.object_bytes, d.object_align, name},
          mode_{mode},
          lock_{arena.join_forks()},
          stock_{d.sizes, this, arena},
          bypass_{d.object_bytes, d.object_align, d.sizes} {}

    depot(const depot&) = delete;
    depot& operator=(const depot&) = delete;

    // -- slow paths of an attached thread ---------------------------------------------------

    /// Loads a magazine with objects and pops one. Null when there is no memory.
    /// @pre the loaded magazine is empty
    void* take(front_type& f) noexcept {
        if (f.spare != nullptr && f.spare->count != 0) {
            f.swap_with_spare();
            return stock::pop_or_null(f);
        }
        void* object = nullptr;
        bool waited = false;
        slab_news news;
        {
            lock_guard<mutex_type> guard{lock_};
            waited = guard.waited();
            stock_.note_taking(f, waited);
            object = stock_.take(f);
            news = stock_.slabs().take_news();
        }
        LINN_DETAIL_PROBE(refill, name(), f.count(), waited);
        tell(news, object == nullptr ? 1 : 0);
        return object;
    }

    /// Makes room in the loaded magazine and pushes `object`.
    /// @pre the loaded magazine is full, or there is none
    void put(front_type& f, void* object) noexcept {
        if (f.spare != nullptr && f.spare->count == 0) {
            f.swap_with_spare();
            f.try_push(object);
            return;
        }
        refusals refused;
        slab* excess = nullptr;
        bool pushed = false;
        bool waited = false;
        {
            lock_guard<mutex_type> guard{lock_};
            waited = guard.waited();
            stock_.note_giving(f, waited);
            stock_.make_room(f, refused);
            pushed = f.try_push(object);
            stock_.shrink_stash(refused);
            excess = stock_.next_to_return();
        }
        LINN_DETAIL_PROBE(flush, name(), f.count(), waited);
        if (!pushed) {
            put_one(object);
        }
        settle(refused);
        return_pages(excess);
    }

    // -- one object at a time, for threads without a cache --------------------------------------

    void* take_one(const call_trace& by = no_trace) noexcept {
        refusals noticed;
        void* object = nullptr;
        slab_news news;
        {
            lock_guard<mutex_type> guard{lock_};
            stock_.note_visit(guard.waited());
            object = stock_.take_one(by, noticed);
            news = stock_.slabs().take_news();
        }
        settle(noticed);
        tell(news, object == nullptr ? 1 : 0);
        return object;
    }

    void put_one(void* object, const call_trace& by = no_trace) noexcept { put_some(&object, 1, by); }

    /// Writes pointers to `count` objects into `out`, an array of pointers of any type. In one piece: no other thread
    /// is refused an object that this one gives back because there are too few.
    /// @returns false when there are too few; then none is taken
    /// @pre in service::direct
    [[nodiscard]] bool take_run(void* out, std::size_t count, const call_trace& by = no_trace) noexcept {
        refusals noticed;
        std::size_t done = 0;
        slab_news news;
        {
            lock_guard<mutex_type> guard{lock_};
            stock_.note_visit(guard.waited());
            done = stock_.take_run(out, count, by, noticed);
            news = stock_.slabs().take_news();
        }
        settle(noticed);
        tell(news, done == count ? 0 : count);
        return done == count;
    }

    /// Takes `count` objects back: what `objects`, an array of pointers of any type, holds.
    /// @pre in service::direct
    void put_run(const void* objects, std::size_t count, const call_trace& by = no_trace) noexcept {
        for_each_batch(objects, count, [&](void** some, std::size_t n) { put_some(some, n, by); });
    }

    // -- in service::bypass ------------------------------------------------------------------------

    /// Null when there is no memory.
    void* take_bypassed() noexcept;

    /// As `take_run`.
    [[nodiscard]] bool take_bypassed_run(void* out, std::size_t count) noexcept;

    /// An object of another type's pool, a block like any other to the memory checker, is reported and stays. What
    /// no pool gave is passed on, for the checker to report.
    void put_bypassed(void* object) noexcept;

    // -- attaching -------------------------------------------------------------------------------

    void attach(front_type& f, std::uintptr_t thread) noexcept {
        lock_guard<mutex_type> guard{lock_};
        f.home = this;
        f.thread = thread;
        stock_.attach(f);
    }

    /// Takes back all that `f` holds and leaves it as it was before its first use.
    void detach(front_type& f) noexcept {
        refusals refused;
        magazine_stack mixed;
        slab* excess = nullptr;
        {
            lock_guard<mutex_type> guard{lock_};
            stock_.note_visit(guard.waited());
            stock_.detach(f, refused, mixed);
            excess = stock_.next_to_return();
        }
        f.home = nullptr;
        hand_over_all(mixed);
        settle(refused);
        return_pages(excess);
    }

    // -- the rest --------------------------------------------------------------------------------

    /// Gives back to the system all memory that no object occupies: what the calling thread and
    /// the depot cache at once, what other threads cache at their next visit.
    /// @returns bytes given back
    std::size_t trim(front_type* mine) noexcept {
        check_objects();
        refusals refused;
        magazine_stack mixed;
        {
            lock_guard<mutex_type> guard{lock_};
            stock_.flush(mine != nullptr && mine->home == this ? mine : nullptr, refused, mixed);
        }
        hand_over_all(mixed);
        if (mine != nullptr && mine->home == this) {
            hand_over_cache(*mine);
        }
        settle(refused);
        std::size_t bytes = 0;
        while (slab* s = locked([this] { return stock_.slabs().take_empty(); })) {
            bytes += return_one(s);
        }
        // Slabs with survivors: page by page, and with the lock held, since the free slots on these
        // pages could be handed out at any time. Slab by slab, to let others in between.
        for (slab* s = locked([this] { return stock_.slabs().newest(); }); s != nullptr; s = s->older) {
            bytes += locked([this, s] { return stock_.slabs().discard_free_pages(s); });
        }
        return bytes;
    }

    /// @returns false when the system has not enough memory, or a limit forbids; the pool is unchanged then
    bool reserve(std::size_t objects) noexcept {
        bool enough = false;
        slab_news news;
        {
            lock_guard<mutex_type> guard{lock_};
            enough = reserve_locked(objects);
            news = stock_.slabs().take_news();
        }
        tell(news, enough ? 0 : objects);
        return enough;
    }

    [[nodiscard]] pool_statistics statistics() noexcept {
        lock_guard<mutex_type> guard{lock_};
        pool_statistics s;
        s.type = name();
        s.object_bytes = description_.object_bytes;
        s.slot_bytes = description_.sizes.slot_bytes;
        stock_.fill_in(s);
        s.live += bypass_.live();
        s.peak += bypass_.peak();
        return s;
    }

    /// Reports what is wrong with slots now: free ones that were written to, live ones whose fences
    /// changed. Each once. Nothing unless the build is checked.
    /// @returns how many
    std::size_t check_objects() noexcept {
        if constexpr (checked_build) {
            refusals noticed;
            locked([&] { stock_.slabs().check_objects(noticed); });
            settle(noticed);
            return noticed.count + noticed.dropped;
        }
        return 0;
    }

    /// Appends each object that is handed out now. False when there is no memory for the list.
    /// @pre no other thread uses the pool meanwhile
    /// @complexity O(slots carved + cached x log(cached))
    bool collect_live(pointer_list<typename Policy::pages>& live) noexcept {
        // A sibling's threads may hold objects of ours.
        pointer_list<typename Policy::pages> cached;
        bool complete = true;
        for_each_sibling([&](depot& other) {
            complete = other.locked([&] { return other.stock_.append_cached(cached); });
            return complete;
        });
        lock_guard<mutex_type> guard{lock_};
        return complete && stock_.append_cached(cached) && stock_.slabs().collect_live(cached, live) &&
               bypass_.objects().copy_to(live);
    }

    /// What is known of `object`, which is handed out. Nothing unless the build is checked.
    [[nodiscard]] slot_evidence evidence_of(const void* object) noexcept {
        return locked([&] { return stock_.slabs().evidence_of(object); });
    }

    // -- fork --------------------------------------------------------------------------------------

    mutex_type& lock() noexcept { return lock_; }

    /// In the child of a fork, with the lock held.
    void forget_threads_but(std::uintptr_t survivor) noexcept { stock_.forget_threads_but(survivor); }

    [[nodiscard]] service mode() const noexcept { return mode_; }
    [[nodiscard]] std::string_view name() const noexcept { return description_.type; }
    [[nodiscard]] const geometry& sizes() const noexcept { return description_.sizes; }

    /// Whether `object` lies in one of this pool's slabs; in service::bypass, whether it is an object of
    /// this pool. @complexity O(slabs)
    [[nodiscard]] bool contains(const void* object) noexcept {
        return locked(
            [&] { return stock_.slabs().find(object) != nullptr || bypass_.objects().contains(object); });
    }

    /// For tests, at quiescence.
    [[nodiscard]] bool consistent() noexcept {
        return locked([this] { return stock_.slabs().consistent(); });
    }
    [[nodiscard]] std::size_t magazine_capacity() noexcept {
        return locked([this] { return stock_.magazine_capacity(); });
    }

    depot* older = nullptr;        ///< all depots of a registry, newest first; guarded by its lock
    depot* next_adopted = nullptr; ///< in the registry of another module
    /// Its module is gone, and no other one stops it for forks.
    typename Policy::template atomic<bool> orphaned{false};

private:
    /// Takes objects back, and forgets what `objects` holds.
    void put_some(void** objects, std::size_t count, const call_trace& by) noexcept {
        refusals refused;
        slab* excess = nullptr;
        std::size_t others = 0;
        {
            lock_guard<mutex_type> guard{lock_};
            stock_.note_visit(guard.waited());
            others = stock_.give(objects, count, refused, by);
            excess = stock_.next_to_return();
        }
        for (std::size_t i = 0; i != others; ++i) {
            hand_over(objects[i], by);
        }
        settle(refused);
        return_pages(excess);
    }

    template <class F>
    auto locked(F&& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return f();
    }

    bool reserve_locked(std::size_t objects) noexcept {
        if (mode_ == service::bypass) {
            // Nothing is reserved, but what cannot be had is refused as in slabs.
            const geometry& g = sizes();
            const bool allowed = objects <= bypass_.room();
            stock_.slabs().note(allowed ? shortage::memory : shortage::limit);
            return allowed && objects <= static_cast<std::size_t>(PTRDIFF_MAX) / g.slot_bytes &&
                   slab_growth<typename Policy::pages>{}.may_map(objects * g.slot_bytes, g);
        }
        return stock_.reserve(objects);
    }

    /// Gives an object to the depot that its slab names, as when two modules have a pool each of
    /// one type. No lock is held.
    void hand_over(void* object, const call_trace& by = no_trace) noexcept;
    /// The same with all that `mixed` holds; the magazines are kept.
    void hand_over_all(magazine_stack& mixed) noexcept;
    /// Empties the calling thread's magazines of what stayed in them: another depot's objects.
    void hand_over_cache(front_type& f) noexcept;

    /// Tells the observer. No lock is held.
    void tell(const slab_news& news, std::size_t refused) const noexcept {
        tell_news(news, refused, description_.object_bytes, name());
    }

    /// Reports refused objects. No lock is held.
    void settle(const refusals& refused) noexcept {
        for (std::size_t i = 0; i < refused.count; ++i) {
            const refusal<>& r = refused.all[i];
            // Slabs of a sibling lie where ours would, so the object is not theirs.
            tell_handler(r, r.why == rejection::not_from_a_slab ? owner_of(r.object) : nullptr);
        }
    }

    /// @param owner the pool that the object belongs to, if it is another one and known
    void tell_handler(const refusal<>& r, depot* owner) noexcept;

    /// Another depot of the process whose slabs hold `object`; null when there is none.
    depot* owner_of(const void* object) noexcept;

    bool is_sibling(const depot& other) const noexcept { return other.description_ == description_; }
    /// Calls `visit(depot&)` for each other module's depot of this pool, until it returns false. No lock held.
    template <class Visit>
    void for_each_sibling(Visit&& visit) noexcept;

    /// Discards with no lock held, since the system call may take long.
    std::size_t return_one(slab* s) noexcept {
        const bool gone = slab_set<typename Policy::pages>::discard(s);
        const std::size_t mapped = s->mapped_bytes;
        const std::size_t bytes = locked([&] { return stock_.slabs().put_returned(s, gone); });
        if (gone) {
            tell_observer({pool_event_kind::slab_returned, name(), nullptr, 1, mapped});
        }
        return bytes;
    }

    std::size_t return_pages(slab* s) noexcept { return s != nullptr ? return_one(s) : 0; }

    pool_description description_;
    service mode_;

    mutex_type lock_;
    depot_stock<Policy> stock_; ///< guarded by it, as the next
    bypass<Policy> bypass_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
