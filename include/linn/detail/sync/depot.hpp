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
#include <linn/detail/sync/bypass.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/front_list.hpp>
#include <linn/detail/sync/magazine_store.hpp>
#include <linn/detail/sync/metadata_arena.hpp>
#include <linn/detail/sync/misuse.hpp>
#include <linn/detail/sync/observer.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// The middle of a pool: full magazines, empty magazines, slabs, and one lock around them. Threads
/// come here once in a magazine. It lives in the metadata arena and is never destroyed.
///
/// Invariant, at quiescence: slots out of the slabs == live + in fronts + in the stash + lost,
/// where `lost` are slots that threads held which a fork left behind in its child.
///
/// Lock order: registry, then depots, then the metadata arena. No misuse handler runs under a lock, and
/// no system call that returns memory but in an explicit trim.
template <class Policy>
class depot {
public:
    using front_type = front<Policy>;
    using mutex_type = typename Policy::mutex;

    depot(const pool_description& d, std::string_view name, service mode,
          metadata_arena<Policy>& arena) noexcept
        : description_{d.sizes, d.object_bytes, d.object_align, name},
          mode_{mode},
          slabs_{d.sizes, this},
          magazines_{d.sizes, arena},
          fronts_{d.sizes.magazine_slots_max},
          bypass_{d.object_bytes, d.object_align, d.sizes} {}

    depot(const depot&) = delete;
    depot& operator=(const depot&) = delete;

    // -- slow paths of an attached thread ---------------------------------------------------

    /// Loads a magazine with objects and pops one. Null when there is no memory.
    /// @pre the loaded magazine is empty
    void* take(front_type& f) noexcept {
        if (f.spare != nullptr && f.spare->count != 0) {
            f.swap_with_spare();
            return pop_or_null(f);
        }
        void* object = nullptr;
        slab_news news;
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard.waited());
            object = take_locked(f);
            news = slabs_.take_news();
        }
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
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard.waited());
            make_room(f, refused);
            pushed = f.try_push(object);
            shrink_stash(refused);
            excess = next_to_return();
        }
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
            note_visit(guard.waited());
            object = take_one_locked(by, noticed);
            news = slabs_.take_news();
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
            note_visit(guard.waited());
            void* some[pointer_batch];
            while (done != count) {
                const std::size_t want = count - done < pointer_batch ? count - done : pointer_batch;
                const std::size_t got = slabs_.take(some + want, want, by, noticed);
                copy_reversed(static_cast<std::byte*>(out) + done * sizeof(void*), some + (want - got), got);
                done += got;
                if (got != want) {
                    give_back_run(out, done, noticed);
                    break;
                }
            }
            news = slabs_.take_news();
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

    /// An object of another type's pool, a block like any other to the memory checker, is reported and stays. What
    /// no pool gave is passed on, for the checker to report.
    void put_bypassed(void* object) noexcept;

    // -- attaching -------------------------------------------------------------------------------

    void attach(front_type& f, std::uintptr_t thread) noexcept {
        lock_guard<mutex_type> guard{lock_};
        f.home = this;
        f.thread = thread;
        f.epoch = epoch_;
        f.refill = first_refill;
        fronts_.add(f);
    }

    /// Takes back all that `f` holds and leaves it as it was before its first use.
    void detach(front_type& f) noexcept {
        refusals refused;
        magazine_stack mixed;
        slab* excess = nullptr;
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard.waited());
            retire(f.unload(), refused, mixed);
            retire(f.spare, refused, mixed);
            f.set_spare(nullptr);
            fronts_.remove(f);
            excess = next_to_return();
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
        check();
        refusals refused;
        magazine_stack mixed;
        {
            lock_guard<mutex_type> guard{lock_};
            ++epoch_;
            if (mine != nullptr && mine->home == this) {
                give_back_cache(*mine, refused);
            }
            while (magazine* m = magazines_.take_full()) {
                empty_out(*m, refused);
                put_emptied(m, mixed);
            }
            magazines_.bound().reset();
        }
        hand_over_all(mixed);
        if (mine != nullptr && mine->home == this) {
            hand_over_cache(*mine);
        }
        settle(refused);
        std::size_t bytes = 0;
        while (slab* s = locked([this] { return slabs_.take_empty(); })) {
            bytes += return_one(s);
        }
        // Slabs with survivors: page by page, and with the lock held, since the free slots on these
        // pages could be handed out at any time. Slab by slab, to let others in between.
        for (slab* s = locked([this] { return slabs_.newest(); }); s != nullptr; s = s->older) {
            bytes += locked([this, s] { return slabs_.discard_free_pages(s); });
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
            news = slabs_.take_news();
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
        const auto held = fronts_.count();
        s.cached = magazines_.stashed() + held.objects;
        s.threads = held.fronts;
        const std::size_t not_live = s.cached + fronts_.lost();
        s.live = (slabs_.out() > not_live ? slabs_.out() - not_live : 0) + bypass_.live();
        s.peak = slabs_.peak() + bypass_.peak();
        s.slabs = slabs_.slab_count();
        s.reserved_bytes = slabs_.mapped_bytes();
        s.resident_bytes = slabs_.resident_bytes();
        s.returned_bytes = slabs_.returned_bytes();
        s.depot_visits = visits_;
        s.contended = contended_;
        return s;
    }

    /// Reports what is wrong with slots now: free ones that were written to, live ones whose fences
    /// changed. Each once. Nothing unless the build is checked.
    /// @returns how many
    std::size_t check() noexcept {
        if constexpr (checked_build) {
            refusals noticed;
            locked([&] { slabs_.check(noticed); });
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
            complete = other.locked([&] { return other.append_cached(cached); });
            return complete;
        });
        lock_guard<mutex_type> guard{lock_};
        return complete && append_cached(cached) && slabs_.collect_live(cached, live) &&
               bypass_.objects().copy_to(live);
    }

    /// What is known of `object`, which is handed out. Nothing unless the build is checked.
    [[nodiscard]] slot_evidence evidence_of(const void* object) noexcept {
        return locked([&] { return slabs_.evidence_of(object); });
    }

    // -- fork --------------------------------------------------------------------------------------

    mutex_type& lock() noexcept { return lock_; }

    /// In the child of a fork, with the lock held.
    void forget_threads_but(std::uintptr_t survivor) noexcept { fronts_.forget_threads_but(survivor); }

    [[nodiscard]] service mode() const noexcept { return mode_; }
    [[nodiscard]] std::string_view name() const noexcept { return description_.type; }
    [[nodiscard]] const geometry& sizes() const noexcept { return description_.sizes; }

    /// Whether `object` lies in one of this pool's slabs; in service::bypass, whether it is an object of
    /// this pool. @complexity O(slabs)
    [[nodiscard]] bool contains(const void* object) noexcept {
        return locked([&] { return slabs_.find(object) != nullptr || bypass_.objects().contains(object); });
    }

    /// For tests, at quiescence.
    [[nodiscard]] bool consistent() noexcept {
        return locked([this] { return slabs_.consistent(); });
    }
    [[nodiscard]] std::size_t magazine_capacity() noexcept {
        return locked([this] { return magazines_.capacity(); });
    }

    depot* older = nullptr;        ///< all depots of a registry, newest first; guarded by its lock
    depot* next_adopted = nullptr; ///< in the registry of another module
    /// Its module is gone, and no other one stops it for forks.
    typename Policy::template atomic<bool> orphaned{false};

private:
    static constexpr std::size_t first_refill = 4;

    static void* pop_or_null(front_type& f) noexcept {
        void* object = nullptr;
        return f.try_pop(object) ? object : nullptr;
    }

    /// Takes objects back, and forgets what `objects` holds.
    void put_some(void** objects, std::size_t count, const call_trace& by) noexcept {
        refusals refused;
        slab* excess = nullptr;
        std::size_t others = 0;
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard.waited());
            others = give_locked(objects, count, refused, by);
            excess = next_to_return();
        }
        for (std::size_t i = 0; i != others; ++i) {
            hand_over(objects[i], by);
        }
        settle(refused);
        return_pages(excess);
    }

    /// Gives what take_run took to the slabs again, with the lock held.
    void give_back_run(const void* objects, std::size_t count, refusals& refused) noexcept {
        for_each_batch(objects, count, [&](void** some, std::size_t n) { give_locked(some, n, refused); });
    }

    template <class F>
    auto locked(F&& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return f();
    }

    void note_visit(bool waited) noexcept {
        ++visits_;
        contended_ += waited ? 1 : 0;
        if (mode_ == service::cached) {
            magazines_.note_visit(waited, slabs_.peak());
        }
    }

    void* take_one_locked(const call_trace& by, refusals& noticed) noexcept {
        void* object = nullptr;
        if (slabs_.take(&object + 1, 1, by, noticed) == 1) {
            return object;
        }
        return magazines_.take_object(); // the system has no more; the stash may
    }

    bool reserve_locked(std::size_t objects) noexcept {
        if (mode_ == service::bypass) {
            slabs_.note(shortage::limit);
            return objects <= bypass_.room();
        }
        return objects <= magazines_.stashed() || slabs_.reserve(objects - magazines_.stashed());
    }

    /// The middle of `take`.
    void* take_locked(front_type& f) noexcept {
        if (magazine* full = magazines_.take_full(); full != nullptr) {
            if (magazine* old = f.unload(); old != nullptr) {
                magazines_.put_empty(old);
            }
            f.load(full);
            return pop_or_null(f);
        }
        if (!f.has_loaded()) {
            magazine* m = magazines_.take_empty();
            if (m == nullptr) {
                refusals none; // threads hold magazines only where nothing is checked
                return take_one_locked(no_trace, none);
            }
            f.load(m);
        }
        fill_from_slabs(f);
        return pop_or_null(f);
    }

    /// A thread begins with few objects and asks for twice as many each time, so that types with
    /// few objects stay small.
    void fill_from_slabs(front_type& f) noexcept {
        magazine* m = magazines_.upgraded(f.unload());
        const std::size_t want = f.refill < m->capacity ? f.refill : m->capacity;
        f.refill = want * 2;
        void** slots = m->slots();
        const std::size_t got = slabs_.take(slots + want, want);
        magazines_.bound().note_missed(got, slabs_.peak());
        if (got != want) {
            std::memmove(slots, slots + (want - got), got * sizeof(void*));
        }
        m->count = got;
        f.load(m);
    }

    /// Loads a magazine that has room, with the lock held. There may be none to be had, and a
    /// flushed one may stay full of another depot's objects: the caller pushes and sees.
    void make_room(front_type& f, refusals& refused) noexcept {
        if (f.epoch != epoch_) {
            f.epoch = epoch_;
            give_back_cache(f, refused);
            if (f.has_loaded()) {
                return;
            }
        }
        magazine* fresh = nullptr;
        if (f.spare == nullptr || magazines_.has_room_for(*f.spare)) {
            fresh = magazines_.take_empty();
        }
        if (fresh == nullptr) {
            if (f.spare == nullptr) {
                return;
            }
            magazines_.bound().note_spilled(f.spare->count);
            empty_out(*f.spare, refused);
            fresh = magazines_.upgraded(f.spare);
        } else if (f.spare != nullptr) {
            magazines_.put_full(f.spare);
        }
        f.set_spare(f.unload());
        f.load(fresh);
    }

    /// Gives to the slabs what lay too long in the stash: a magazine a visit, so that no caller pays for all.
    void shrink_stash(refusals& refused) noexcept {
        if (magazine* m = magazines_.template take_excess<typename Policy::clock>(); m != nullptr) {
            empty_out(*m, refused);
            if (m->count == 0) {
                magazines_.put_empty(m);
            } else {
                magazines_.put_full(m); // another depot's objects: a thread takes them, and brings them back
            }
        }
    }

    /// Gives the objects of both magazines to the slabs; the magazines stay.
    void give_back_cache(front_type& f, refusals& refused) noexcept {
        if (magazine* m = f.unload(); m != nullptr) {
            empty_out(*m, refused);
            f.load(m);
        }
        if (f.spare != nullptr) {
            empty_out(*f.spare, refused);
            f.set_spare(f.spare);
        }
    }

    /// Puts a magazine of a thread that leaves where it belongs; into `mixed` when objects of
    /// another depot stayed in it.
    void retire(magazine* m, refusals& refused, magazine_stack& mixed) noexcept {
        if (m == nullptr) {
            return;
        }
        if (2 * m->count > m->capacity && magazines_.has_room_for(*m)) {
            magazines_.put_full(m);
        } else {
            empty_out(*m, refused);
            put_emptied(m, mixed);
        }
    }

    void put_emptied(magazine* m, magazine_stack& mixed) noexcept {
        if (m->count == 0) {
            magazines_.put_empty(m);
        } else {
            mixed.push(m);
        }
    }

    /// Objects that belong to another depot stay, and nothing else does.
    void empty_out(magazine& m, refusals& refused) noexcept {
        m.count = give_locked(m.slots(), m.count, refused);
    }

    /// @returns how many objects belong to another depot; these are now the first of `objects`
    std::size_t give_locked(void** objects, std::size_t count, refusals& refused,
                            const call_trace& by = no_trace) noexcept {
        std::size_t others = 0;
        // Places that are written here have been read by the slabs already.
        const auto reject = [&](rejection why, void* object, const slot_evidence& evidence = {}) {
            if (why == rejection::other_owner) {
                objects[others++] = object;
            } else {
                refused(why, object, evidence);
            }
        };
        slabs_.give(objects, count, reject, by);
        return others;
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
            // Slabs of a sibling lie where ours would, so it is none of theirs.
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

    /// Appends what threads and the stash hold, with the lock held. False when there is no memory.
    bool append_cached(pointer_list<typename Policy::pages>& cached) noexcept {
        return fronts_.append_to(cached) && magazines_.stash().append_to(cached);
    }

    /// Discards with no lock held, since the system call may take long.
    std::size_t return_one(slab* s) noexcept {
        const std::size_t bytes = slab_set<typename Policy::pages>::discard(s);
        const std::size_t mapped = s->mapped_bytes;
        locked([&] { slabs_.put_returned(s, bytes); });
        tell_observer({pool_event_kind::slab_returned, name(), nullptr, 1, mapped});
        return bytes;
    }

    /// One slab a visit, so that no caller pays for the whole of a shrinking pool.
    slab* next_to_return() noexcept {
        return slabs_.has_excess() ? slabs_.next_to_return(Policy::clock::now_ms()) : nullptr;
    }

    std::size_t return_pages(slab* s) noexcept { return s != nullptr ? return_one(s) : 0; }

    pool_description description_;
    service mode_;

    mutex_type lock_;
    slab_set<typename Policy::pages> slabs_;
    magazine_store<Policy> magazines_;
    front_list<Policy> fronts_;
    std::size_t epoch_ = 0; ///< counts trims
    std::size_t visits_ = 0;
    std::size_t contended_ = 0;
    bypass<Policy> bypass_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
