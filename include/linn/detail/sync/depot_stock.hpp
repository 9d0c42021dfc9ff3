// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_DEPOT_STOCK_HPP
#define LINN_DETAIL_SYNC_DEPOT_STOCK_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/meeting_count.hpp>
#include <linn/detail/core/pointer_list.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/front_list.hpp>
#include <linn/detail/sync/magazine_store.hpp>
#include <linn/detail/sync/metadata_arena.hpp>
#include <linn/detail/sync/misuse.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// What a depot has: slabs, full and empty magazines, the fronts of its threads; and how slots go between them. The depot holds
/// its lock around every call: nothing here locks, reports or gives memory back to the system.
///
/// Invariant, at quiescence: slots out of the slabs == live + in fronts + in the stash + lost,
/// where `lost` are slots that threads held which a fork left behind in its child.
template <class Policy>
class depot_stock {
public:
    using front_type = front<Policy>;
    using slabs_type = slab_set<typename Policy::pages>;

    depot_stock(const geometry& g, void* owner, metadata_arena<Policy>& arena) noexcept
        : slabs_{g, owner},
          magazines_{g, arena},
          fronts_{g.magazine_slots_met} {}

    [[nodiscard]] slabs_type& slabs() noexcept { return slabs_; }
    [[nodiscard]] std::size_t magazine_capacity() const noexcept { return magazines_.capacity(); }

    /// A visit of a thread without a cache, or one that leaves.
    void note_visit(bool waited, bool threads_meet = false) noexcept {
        ++visits_;
        contended_ += waited ? 1 : 0;
        magazines_.note_visit(waited, threads_meet, slabs_.peak());
    }
    /// A visit because `f` is empty.
    void note_taking(front_type& f, bool waited) noexcept {
        f.turns.note_taken();
        note_exchange(f, waited);
    }
    /// A visit because `f` is full.
    void note_giving(front_type& f, bool waited) noexcept {
        f.turns.note_given();
        note_exchange(f, waited);
    }

    // -- slots go out -----------------------------------------------------------------------------

    static void* pop_or_null(front_type& f) noexcept {
        void* object = nullptr;
        return f.try_pop(object) ? object : nullptr;
    }

    /// Loads a magazine with objects and pops one. Null when there is none.
    /// @pre what `f` has is empty
    void* take(front_type& f) noexcept {
        if (magazine* full = magazines_.take_full(f.shelf); full != nullptr) {
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
                return take_one(no_trace, none);
            }
            f.load(m);
        }
        fill_from_slabs(f);
        return pop_or_null(f);
    }

    /// Null when neither the system nor the stash has one.
    void* take_one(const call_trace& by, refusals& noticed) noexcept {
        void* object = nullptr;
        if (slabs_.take(&object + 1, 1, by, noticed) == 1) {
            return object;
        }
        return magazines_.take_object(); // the system has no more; the stash may
    }

    /// Writes pointers to `count` objects into `out`, or takes none. @returns `count`; less when there are too few
    std::size_t take_run(void* out, std::size_t count, const call_trace& by, refusals& noticed) noexcept {
        std::size_t done = 0;
        void* some[pointer_batch];
        while (done != count) {
            const std::size_t want = count - done < pointer_batch ? count - done : pointer_batch;
            const std::size_t got = slabs_.take(some + want, want, by, noticed);
            copy_reversed(static_cast<std::byte*>(out) + done * sizeof(void*), some + (want - got), got);
            done += got;
            if (got != want) {
                give_back(out, done, noticed);
                break;
            }
        }
        return done;
    }

    /// @returns false when a limit or the system refused; then nothing has changed
    bool reserve(std::size_t objects) noexcept {
        return objects <= magazines_.stashed() || slabs_.reserve(objects - magazines_.stashed());
    }

    // -- slots come back --------------------------------------------------------------------------

    /// Loads a magazine that has room. There may be none to be had, and a
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
            magazines_.put_full(f.spare, f.shelf);
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
            } else { // another depot's objects: a thread takes them, and brings them back
                magazines_.put_full(m, 0);
            }
        }
    }

    /// @returns how many objects belong to another depot; these are now the first of `objects`
    std::size_t give(void** objects, std::size_t count, refusals& refused,
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

    /// An empty slab whose pages should go back; null when there is none. One slab a visit, so that no caller pays for the
    /// whole of a shrinking pool.
    slab* next_to_return() noexcept {
        return slabs_.has_excess() ? slabs_.next_to_return(Policy::clock::now_ms()) : nullptr;
    }

    // -- threads ----------------------------------------------------------------------------------

    void attach(front_type& f) noexcept {
        f.epoch = epoch_;
        f.refill = first_refill;
        f.shelf = attached_++ % magazine_shelves::shelves;
        fronts_.add(f);
    }

    /// Takes back all that `f` holds. Magazines in which objects of another depot stayed go to `mixed`.
    void detach(front_type& f, refusals& refused, magazine_stack& mixed) noexcept {
        retire(f.unload(), f.shelf, refused, mixed);
        retire(f.spare, f.shelf, refused, mixed);
        f.set_spare(nullptr);
        fronts_.remove(f);
    }

    /// Gives to the slabs what is cached: of `mine`, which may be null, and of the stash now, of other threads at their next
    /// visit. Magazines in which objects of another depot stayed go to `mixed`, but for those of `mine`.
    void flush(front_type* mine, refusals& refused, magazine_stack& mixed) noexcept {
        ++epoch_;
        if (mine != nullptr) {
            give_back_cache(*mine, refused);
        }
        while (magazine* m = magazines_.take_full(0)) {
            empty_out(*m, refused);
            put_emptied(m, mixed);
        }
        magazines_.bound().reset();
    }

    void put_empty(magazine* m) noexcept { magazines_.put_empty(m); }

    /// In the child of a fork.
    void forget_threads_but(std::uintptr_t survivor) noexcept { fronts_.forget_threads_but(survivor); }

    // -- what there is ----------------------------------------------------------------------------

    /// Writes what the stock knows.
    void fill_in(pool_statistics& s) noexcept {
        const auto held = fronts_.count();
        s.cached = magazines_.stashed() + held.objects;
        s.threads = held.fronts;
        const std::size_t not_live = s.cached + fronts_.lost();
        s.live = slabs_.out() > not_live ? slabs_.out() - not_live : 0;
        s.peak = slabs_.peak();
        s.slabs = slabs_.slab_count();
        s.reserved_bytes = slabs_.mapped_bytes();
        s.resident_bytes = slabs_.resident_bytes();
        s.returned_bytes = slabs_.returned_bytes();
        s.depot_visits = visits_;
        s.contended = contended_;
    }

    /// Appends what threads and the stash hold. False when there is no memory.
    bool append_cached(pointer_list<typename Policy::pages>& cached) noexcept {
        return fronts_.append_to(cached) && magazines_.stash().append_to(cached);
    }

private:
    static constexpr std::size_t first_refill = 4;

    void note_exchange(const front_type& f, bool waited) noexcept {
        note_visit(waited, meetings_.template note<typename Policy::clock>(&f, f.turns.alternates()));
    }

    /// A thread begins with few objects and asks for twice as many each time, so that types with
    /// few objects stay small.
    void fill_from_slabs(front_type& f) noexcept {
        magazine* m = magazines_.upgraded(f.unload());
        const std::size_t want = f.refill < m->capacity ? f.refill : m->capacity;
        f.refill = want * 2;
        void** entries = m->entries();
        const std::size_t got = slabs_.take(entries + want, want);
        magazines_.bound().note_missed(got, slabs_.peak());
        if (got != want) {
            std::memmove(entries, entries + (want - got), got * sizeof(void*));
        }
        m->count = got;
        f.load(m);
    }

    /// Gives what take_run took to the slabs again.
    void give_back(const void* objects, std::size_t count, refusals& refused) noexcept {
        for_each_batch(objects, count, [&](void** some, std::size_t n) { give(some, n, refused); });
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
    void retire(magazine* m, std::size_t shelf, refusals& refused, magazine_stack& mixed) noexcept {
        if (m == nullptr) {
            return;
        }
        if (2 * m->count > m->capacity && magazines_.has_room_for(*m)) {
            magazines_.put_full(m, shelf);
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
    void empty_out(magazine& m, refusals& refused) noexcept { m.count = give(m.entries(), m.count, refused); }

    slabs_type slabs_;
    magazine_store<Policy> magazines_;
    front_list<Policy> fronts_;
    std::size_t epoch_ = 0;    ///< counts flushes
    std::size_t attached_ = 0; ///< counts threads that came
    std::size_t visits_ = 0;
    std::size_t contended_ = 0;
    meeting_count meetings_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
