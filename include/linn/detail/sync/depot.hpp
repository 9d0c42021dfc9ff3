// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_DEPOT_HPP
#define LINN_DETAIL_SYNC_DEPOT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/depot_stock.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
class registry;

/// Null where none is made yet.
template <class Policy>
depot<Policy>* published_depot(const depot_place<Policy>& place) noexcept {
    return reinterpret_cast<depot<Policy>*>(read_published(place));
}

/// The middle of a pool: one lock around its `depot_stock`, and what must be done outside of it. Threads
/// come here once in a magazine. It lives in the metadata arena and is never destroyed.
///
/// A pool has a depot for each of its first threads, `most_homes` at most: their *home*. A home has slabs of its own, so threads
/// of different homes share neither a lock nor the cache lines of a slab. An object returns to the home that its slab names.
/// Before a home asks the system it takes what others can spare. The first home is the pool's *primary* depot, and speaks for all.
///
/// What the stock refuses is reported, what belongs to another depot is handed over to it, and what the system gets back goes
/// back, when the lock is released.
///
/// Lock order: registry, then depots. No misuse handler runs under a lock, and no system call that returns memory but in an
/// explicit trim.
template <class Policy>
class depot : public in_fork_registry<depot<Policy>, typename Policy::mutex> {
    using membership = in_fork_registry<depot, typename Policy::mutex>;

public:
    using front_type = front<Policy>;
    using stock = depot_stock<Policy>;
    using mutex_type = typename Policy::mutex;

    /// @param primary of the pool; null for itself
    [[LINN_DETAIL_COLD]] depot(const pool_description& d, std::string_view name, service mode,
                               metadata_arena<Policy>& arena, depot* primary = nullptr) noexcept
        : membership{nullptr}, // entered where it is made, before it is published
          description_{d.sizes, label_of(name)},
          mode_{mode},
          primary_{primary != nullptr ? primary : this},
          lock_{arena.join_forks()},
          stock_{primary != nullptr ? retaining_less(d.sizes) : d.sizes, this, arena},
          bypass_{d.sizes} {
        homes_[0].store(reinterpret_cast<std::uintptr_t>(this),
                        std::memory_order_relaxed); // no other thread has it yet
    }

    // -- slow paths of an attached thread ---------------------------------------------------

    /// Loads objects into the front and pops one. Null when there is no memory.
    /// @pre it is empty
    void* take(front_type& f) noexcept {
        slab_news news;
        void* object = nullptr;
        if (!is_alone()) {
            object = visit(news, [&] { return stock_.take(f, growth::forbidden); });
            object = object != nullptr ? object : borrow(f);
        }
        if (object == nullptr) {
            object = visit(news, [&] { return stock_.take(f, growth::allowed); });
        }
        if (object == nullptr) {
            object = take_anywhere();
        }
        tell(news, object == nullptr ? 1 : 0);
        return object;
    }

    /// Makes room in the front and pushes `object`.
    /// @pre the front is full
    void put(front_type& f, void* object) noexcept {
        flush(f, stock_.to_flush(f));
        if (!f.try_push(object)) {
            put_one(object);
        }
        sweep_others();
    }

    // -- one object at a time, for threads without a cache --------------------------------------

    [[LINN_DETAIL_COLD]] void* take_one(const call_trace& by = no_trace) noexcept {
        refusals noticed;
        slab_news news;
        void* object = visit(news, [&] { return stock_.take_one(by, noticed, growth::allowed); });
        settle(noticed);
        if (object == nullptr && mode_ == service::cached) {
            object = take_anywhere();
        }
        tell(news, object == nullptr ? 1 : 0);
        return object;
    }

    [[LINN_DETAIL_SLOW]] void put_one(void* object, const call_trace& by = no_trace) noexcept {
        put_some(&object, 1, by);
    }

    /// Writes pointers to `count` objects into `out`, an array of pointers of any type. In one piece: no other thread
    /// is refused an object that this one gives back because there are too few.
    /// @returns false when there are too few; then none is taken
    /// @pre in service::direct
    [[nodiscard, LINN_DETAIL_COLD]] bool take_run(void* out, std::size_t count,
                                                  const call_trace& by = no_trace) noexcept {
        refusals noticed;
        slab_news news;
        const bool enough = visit(news, [&] { return stock_.take_run(out, count, by, noticed); });
        settle(noticed);
        tell(news, enough ? 0 : count);
        return enough;
    }

    /// Takes `count` objects back: what `objects`, an array of pointers of any type, holds.
    [[LINN_DETAIL_COLD]] void put_run(const void* objects, std::size_t count,
                                      const call_trace& by = no_trace) noexcept {
        for_each_batch(objects, count, [&](void** some, std::size_t n) { put_some(some, n, by); });
    }

    // -- in service::bypass ------------------------------------------------------------------------

    /// As `take_run`.
    [[nodiscard, LINN_DETAIL_COLD]] bool take_bypassed(void* out, std::size_t count) noexcept;

    /// An object of another type's pool, a block like any other to the memory checker, is reported and stays. What
    /// no pool gave is passed on, for the checker to report.
    [[LINN_DETAIL_COLD]] void put_bypassed(void* object) noexcept;

    // -- attaching -------------------------------------------------------------------------------

    /// The home for a thread that comes: the first one with the fewest threads; a new one while each has some. @pre it is the primary
    [[LINN_DETAIL_COLD]] depot& home_for_thread() noexcept {
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

    /// @returns false when there is no memory for the array of `f`
    [[LINN_DETAIL_COLD]] bool attach(front_type& f, std::uintptr_t thread) noexcept {
        front_array* array = locked([&] { return stock_.take_unused_array(); });
        if (array == nullptr) {
            array = stock_.make_array();
        }
        if (array == nullptr) {
            return false;
        }
        // relaxed: a hint for home_for_thread
        threads_.fetch_add(1, std::memory_order_relaxed);
        lock_guard<mutex_type> guard{lock_};
        f.home = this;
        f.thread = thread;
        stock_.attach(f, *array);
        return true;
    }

    /// Takes back all that `f` holds and leaves it as it was before its first use.
    [[LINN_DETAIL_COLD]] void detach(front_type& f) noexcept {
        while (f.count() != 0) { // a misuse handler may use the pool
            flush(f, f.count());
        }
        locked([&] { stock_.detach(f); });
        f.home = nullptr;
        threads_.fetch_sub(1, std::memory_order_relaxed);
    }

    // -- the rest --------------------------------------------------------------------------------

    /// Gives back to the system all memory that no object occupies: what the calling thread and
    /// the depot cache at once, what other threads cache at their next visit.
    /// @returns bytes given back
    [[LINN_DETAIL_COLD]] std::size_t trim(front_type* mine) noexcept {
        check_objects();
        stock_.ask_for_flush();
        std::size_t bytes = 0;
        if (mine != nullptr && mine->home == this) {
            flush(*mine, stock_.to_flush(*mine), false);
        }
        locked([&] { stock_.slabs().begin_trim(); });
        // Each slab once: an observer that uses the pool, and other threads, can leave one empty again and again. Of slabs with
        // survivors page by page, and with the lock held, since the free slots on these pages could be handed out at any time.
        // Slab by slab, to let others in between, who may take a slab over.
        for (cold_pages leaving; locked([&] { return stock_.slabs().trim_next(bytes, leaving); });
             leaving = cold_pages{}) {
            bytes += leaving.of != nullptr ? return_one(leaving) : 0;
        }
        return bytes;
    }

    /// @returns false when the system has not enough memory, or a limit forbids; the home is unchanged then
    [[LINN_DETAIL_COLD]] bool reserve(std::size_t objects) noexcept {
        slab_news news;
        const bool enough = visit(news, [&] { return reserve_locked(objects); });
        tell(news, enough ? 0 : objects);
        return enough;
    }

    /// Of all homes. @pre it is the primary
    [[nodiscard, LINN_DETAIL_COLD]] pool_statistics statistics() noexcept {
        pool_statistics s;
        s.type = name();
        s.object_bytes = sizes().object_bytes;
        s.slot_bytes = sizes().slot_bytes;
        std::size_t lost = 0;
        any_home([&](depot& home) {
            home.locked([&] {
                home.stock_.add_to(s, lost);
                s.live += home.bypass_.live();
                s.peak += home.bypass_.peak();
            });
            return false;
        });
        const std::size_t not_live = s.cached + lost;
        s.live = s.live > not_live ? s.live - not_live : 0;
        return s;
    }

    /// Reports what is wrong with slots now: free ones that were written to, live ones whose fences
    /// changed. Each once. Nothing unless the build is checked. @returns how many
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
    /// @complexity O(slots carved + cached)
    [[LINN_DETAIL_COLD]] bool collect_live(pointer_list<typename Policy::pages>& live) noexcept {
        // A sibling's threads may hold objects of ours.
        pointer_set<typename Policy::pages> cached;
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
    [[nodiscard]] std::string_view name() const noexcept { return text_of(description_.type); }
    [[nodiscard]] const geometry& sizes() const noexcept { return description_.sizes; }

    /// Whether `object` lies in one of this pool's slabs; in service::bypass, whether it is an object of
    /// this pool. @complexity O(slabs)
    [[nodiscard, LINN_DETAIL_COLD]] bool contains(const void* object) noexcept {
        return locked(
            [&] { return stock_.slabs().find(object) != nullptr || bypass_.objects().contains(object); });
    }

    /// For tests, at quiescence.
    [[nodiscard]] bool consistent() noexcept {
        return locked([this] { return stock_.slabs().consistent(); });
    }
    static constexpr std::size_t most_homes = 8;

    [[nodiscard]] depot& primary() noexcept { return *primary_; }
    [[nodiscard]] bool is_primary() const noexcept { return primary_ == this; }

    /// One of the homes of the pool; null behind the last.
    [[nodiscard, LINN_DETAIL_SLOW]] depot* home_at(std::size_t place) noexcept {
        return place != most_homes ? published_depot<Policy>(primary_->homes_[place]) : nullptr;
    }

    /// Calls `is(depot&)` for each home of the pool, until it returns true. @returns whether it did
    template <class Is>
    bool any_home(Is&& is) noexcept {
        for (std::size_t i = 0; depot* home = home_at(i); ++i) {
            if (is(*home)) {
                return true;
            }
        }
        return false;
    }

    depot* older = nullptr; ///< all depots of a registry, newest first; guarded by its lock

private:
    using growth = typename stock::growth;
    friend class registry<Policy>; // makes homes
    friend class fork_registry<depot, mutex_type>;

    void lock_for_fork() noexcept { lock_.lock_for_fork(); }
    void unlock_in_parent() noexcept { lock_.unlock_after_fork(); }
    void unlock_in_child() noexcept {
        forget_threads_but(current_thread());
        lock_.reset();
    }

    /// The lock, held by one who may give objects back. When it is released, what the stock refused is reported, and memory that
    /// is cold goes back; that stays where the caller returns it and counts the bytes.
    struct locked_visit {
        [[LINN_DETAIL_SLOW]] explicit locked_visit(depot& home, bool cold_goes = true) noexcept
            : visited{home},
              returns_cold{cold_goes},
              guard{home.lock_} {
            home.stock_.note_visit(guard.waited());
        }
        [[LINN_DETAIL_SLOW]] ~locked_visit() {
            cold_pages leaving;
            if (returns_cold) {
                visited.stock_.take_cold(leaving);
            }
            guard.release();
            visited.settle(refused);
            visited.return_cold(leaving);
        }
        locked_visit(const locked_visit&) = delete;
        locked_visit& operator=(const locked_visit&) = delete;

        depot& visited;
        const bool returns_cold;
        refusals refused;
        lock_guard<mutex_type> guard;
    };

    /// Whether the pool has one home so far.
    [[nodiscard]] bool is_alone() const noexcept {
        return published_depot<Policy>(primary_->homes_[1]) == nullptr;
    }

    /// Takes an empty slab over from another home, or loads objects of one into `f`, and pops one. Null when there is none.
    [[LINN_DETAIL_SLOW]] void* borrow(front_type& f) noexcept {
        void* object = nullptr;
        slab* empty = nullptr;
        any_home([&](depot& home) {
            if (&home != this) {
                lock_guard<mutex_type> guard{home.lock_};
                home.stock_.note_visit(guard.waited());
                empty = home.stock_.slabs().part_with_empty();
                object = empty == nullptr ? home.stock_.take(f, growth::lending) : nullptr;
            }
            return object != nullptr || empty != nullptr;
        });
        if (empty != nullptr) {
            object = locked([&] {
                stock_.slabs().take_over(empty);
                return stock_.take(f, growth::forbidden);
            });
        }
        return object;
    }

    /// One object of any home, when the system has no more memory. Null when there is none.
    [[LINN_DETAIL_COLD]] void* take_anywhere() noexcept {
        void* object = nullptr;
        any_home([&](depot& home) {
            refusals none; // threads cache only where nothing is checked
            object = home.locked([&] { return home.stock_.take_one(no_trace, none, growth::forbidden); });
            return object != nullptr;
        });
        return object;
    }

    /// Takes back the `n` slots of `f` that came first. No lock is held.
    [[LINN_DETAIL_SLOW]] void flush(front_type& f, std::size_t n, bool cold_goes = true) noexcept {
        do {
            void* others[stock::most_others];
            std::size_t count = 0;
            {
                locked_visit held{*this, cold_goes};
                count = stock_.flush(f, n, others, held.refused);
            }
            hand_over_run(others, count);
        } while (n != 0);
    }

    /// Takes back those of the objects that belong to this home, and moves the others to the front.
    /// @returns how many others there are
    [[LINN_DETAIL_SLOW]] std::size_t give_some(void** objects, std::size_t count,
                                               const call_trace& by) noexcept {
        locked_visit held{*this};
        return stock_.give(objects, count, held.refused, by);
    }

    /// Takes objects back, and forgets what `objects` holds.
    void put_some(void** objects, std::size_t count, const call_trace& by) noexcept {
        hand_over_run(objects, give_some(objects, count, by), by);
    }

    /// What `f()` returns, which is called with the lock held. Leaves in `news` what the slabs did.
    template <class F>
    auto visit(slab_news& news, F&& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        stock_.note_visit(guard.waited());
        const auto result = f();
        news = stock_.slabs().take_news();
        return result;
    }

    template <class F>
    auto locked(F&& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return f();
    }

    bool reserve_locked(std::size_t objects) noexcept {
        if (mode_ == service::bypass) {
            // Nothing is reserved, but what cannot be had is refused as in slabs.
            const std::size_t slot_bytes = sizes().slot_bytes;
            const bool allowed = objects <= bypass_.room();
            stock_.slabs().note(allowed ? shortage::memory : shortage::limit);
            return allowed && objects <= static_cast<std::size_t>(PTRDIFF_MAX) / slot_bytes &&
                   stock_.slabs().may_map(objects * slot_bytes);
        }
        return stock_.slabs().reserve(objects);
    }

    /// Gives objects to the depots that their slabs name: another home, or the depot of another module's pool of the same type.
    /// Forgets what `objects` holds, which is no part of a front, since a misuse handler may use that. No lock is held.
    [[LINN_DETAIL_SLOW]] void hand_over_run(void** objects, std::size_t count,
                                            const call_trace& by = no_trace) noexcept;

    /// Tells the observer. No lock is held.
    void tell(const slab_news& news, std::size_t refused) const noexcept {
        tell_news(news, refused, sizes().object_bytes, name());
    }

    /// Reports refused objects. No lock is held.
    [[LINN_DETAIL_SLOW]] void settle(const refusals& refused) noexcept {
        for (std::size_t i = 0; i < refused.count; ++i) {
            const refusal& r = refused.all[i];
            // Slabs of a sibling lie where ours would, so the object is not theirs.
            tell_handler(r, r.why == misuse_kind::foreign_pointer ? owner_of(r.object) : nullptr);
        }
    }

    /// @param owner the pool that the object belongs to, if it is another one and known
    [[LINN_DETAIL_COLD]] void tell_handler(const refusal& r, depot* owner) noexcept {
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

    /// Another depot of the process whose slabs hold `object`; null when there is none.
    [[LINN_DETAIL_COLD]] depot* owner_of(const void* object) noexcept {
        for (depot* d = registry<Policy>::process().newest(); d != nullptr; d = d->older) {
            if (d->primary_ != primary_ && d->contains(object)) {
                return d;
            }
        }
        return nullptr;
    }

    bool is_sibling(const depot& other) const noexcept { return other.description_ == description_; }
    /// Calls `visit(depot&)` for each other module's depot of this pool, until it returns false. No lock held.
    template <class Visit>
    void for_each_sibling(Visit&& visit) noexcept {
        for (depot* d = registry<Policy>::process().newest(); d != nullptr; d = d->older) {
            if (d != this && is_sibling(*d) && !visit(*d)) {
                return;
            }
        }
    }

    /// Discards with no lock held, since the system call may take long.
    [[LINN_DETAIL_COLD]] std::size_t return_one(const cold_pages& leaving) noexcept {
        const std::size_t gone = slab_set<typename Policy::pages>::discard(leaving);
        const std::size_t mapped = leaving.of->mapped_bytes;
        const std::size_t bytes = locked([&] { return stock_.slabs().put_cold(leaving, gone); });
        if (leaving.whole && gone != 0) {
            tell_observer({pool_event_kind::slab_returned, name(), nullptr, 1, mapped});
        }
        return bytes;
    }

    /// Returns what `leaving` names, and then more, up to a bound for one visit.
    [[LINN_DETAIL_COLD]] void return_cold(cold_pages& leaving) noexcept {
        for (int slabs = 1; leaving.of != nullptr; ++slabs) {
            return_one(leaving);
            leaving = cold_pages{};
            if (slabs != slabs_a_visit) {
                locked([&] { stock_.take_cold(leaving); });
            }
        }
    }

    /// Returns cold memory of depots that no thread may visit any more. @complexity a clock; once in a while O(depots)
    [[LINN_DETAIL_SLOW]] void sweep_others() noexcept {
        const std::uint64_t now_ms = Policy::clock::now_ms();
        auto& all = registry<Policy>::process();
        // relaxed: if two threads do it at once, no harm is done
        if (now_ms - all.swept_ms.load(std::memory_order_relaxed) < others_ms) {
            return;
        }
        for (depot* d = all.newest(); d != nullptr; d = d->older) {
            if (d != this && d->return_unvisited()) {
                return; // more at the next visit
            }
        }
        all.swept_ms.store(now_ms, std::memory_order_relaxed);
    }

    /// @returns false when nothing is cold
    [[LINN_DETAIL_COLD]] bool return_unvisited() noexcept {
        cold_pages leaving;
        const bool some = locked([&] { return stock_.take_cold(leaving); });
        return_cold(leaving);
        return some;
    }

    /// All other homes together retain no more than the primary.
    static geometry retaining_less(geometry g) noexcept {
        g.retain_bytes /= most_homes;
        return g;
    }

    static constexpr int slabs_a_visit = 8;         ///< whose memory one caller returns
    static constexpr std::uint64_t others_ms = 250; ///< at most so often a visit looks at other depots

    pool_description description_;
    service mode_;
    depot* primary_;

    mutex_type lock_;
    depot_stock<Policy> stock_; ///< guarded by it, as the next
    bypass<Policy> bypass_;

    depot_place<Policy> homes_[most_homes] = {};                 ///< in the primary; in order, then 0
    typename Policy::template atomic<std::uint32_t> threads_{0}; ///< whose home it is
};

} // namespace linn::inline LINN_ABI::detail

#endif
