// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_DEPOT_STOCK_HPP
#define LINN_DETAIL_SYNC_DEPOT_STOCK_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/core/slab_states.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// Memory for depots and fronts: bumped from pages and never freed, so that what lies in it
/// outlives threads, static destructors and unloaded modules. Bounded, because arrays of fronts are
/// recycled, and depots are as many as there are types.
template <class Policy>
class metadata_arena {
public:
    constexpr metadata_arena() = default; ///< for tests: no fork concerns it
    constexpr explicit metadata_arena(module_record& where) noexcept : part_{where, this, &on_event} {}

    /// Memory aligned to a cache line; null when the system has none.
    /// @pre no lock is held @threads any thread
    [[LINN_DETAIL_COLD]] void* allocate(std::size_t bytes) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        bytes = round_up(bytes, cache_line_bytes);
        if (bytes > left_) {
            const std::size_t chunk = bytes > chunk_bytes ? round_up(bytes, page_bytes) : chunk_bytes;
            void* fresh = Policy::pages::map(chunk, page_bytes);
            if (fresh == nullptr) {
                return nullptr;
            }
            next_ = static_cast<std::byte*>(fresh);
            left_ = chunk;
        }
        void* p = next_;
        next_ += bytes;
        left_ -= bytes;
        return p;
    }

    /// For the locks of the depots that lie here: the registry that makes them takes these at a fork.
    known_to_forks join_forks() noexcept { return part_.join(); }

private:
    static void on_event(void* self, module_event e) noexcept {
        module_record::on_fork(static_cast<metadata_arena*>(self)->lock_, e);
    }

    static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

    module_part part_;
    typename Policy::mutex lock_{part_};
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

/// A pool that passes each object to `operator new`, so that a memory checker sees every one. It keeps a
/// list of them, which that checker cannot read. The depot's lock guards the list.
template <class Policy>
class bypass {
public:
    /// @param g whose limits hold: max_bytes as if each object had a slot, since no slab is mapped
    constexpr explicit bypass(const geometry& g) noexcept
        : bytes_{g.object_bytes},
          align_{g.object_align},
          most_{clamp(g.max_bytes / g.slot_bytes, 1, g.max_slots)} {}

    /// Storage that is not on the list yet; null when there is no memory. Needs no lock.
    [[nodiscard, LINN_DETAIL_COLD]] void* allocate() const noexcept {
        return over_aligned() ? ::operator new(bytes_, std::align_val_t{align_}, std::nothrow_t{})
                              : ::operator new(bytes_, std::nothrow_t{});
    }

    /// Safe for pointers that are not objects; the checker reports them. Needs no lock.
    [[LINN_DETAIL_COLD]] void deallocate(void* object) const noexcept {
        if (over_aligned()) {
            ::operator delete(object, std::align_val_t{align_});
        } else {
            ::operator delete(object);
        }
    }

    /// Puts the objects on the list that `objects`, an array of pointers of any type, holds. Either all or none: not when there
    /// are as many as may be, or no memory for the list.
    [[LINN_DETAIL_COLD]] shortage note(const std::byte* objects, std::size_t count) noexcept {
        if (room() < count) {
            return shortage::limit;
        }
        for (std::size_t i = 0; i != count; ++i) {
            if (!objects_.insert(pointer_at(objects, i))) {
                while (i-- != 0) {
                    strike(pointer_at(objects, i));
                }
                return shortage::memory;
            }
        }
        peak_ = objects_.size() > peak_ ? objects_.size() : peak_;
        return shortage::none;
    }

    static void* pointer_at(const std::byte* objects, std::size_t i) noexcept {
        void* p = nullptr;
        std::memcpy(&p, objects + i * sizeof p, sizeof p);
        return p;
    }

    /// Takes it off. False when it is not on the list.
    [[LINN_DETAIL_COLD]] bool strike(void* object) noexcept { return objects_.erase(object); }

    [[nodiscard]] const pointer_set<typename Policy::pages>& objects() const noexcept { return objects_; }
    [[nodiscard]] std::size_t live() const noexcept { return objects_.size(); }
    [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
    /// How many more objects there may be.
    [[nodiscard]] std::size_t room() const noexcept { return most_ - objects_.size(); }

private:
    [[nodiscard]] bool over_aligned() const noexcept { return align_ > __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

    std::size_t bytes_;
    std::size_t align_;
    std::size_t most_;
    std::size_t peak_ = 0;
    pointer_set<typename Policy::pages> objects_;
};

/// What a depot has: slabs, the fronts of its threads, and arrays that no front has; and how slots go between them. The depot holds
/// its lock around every call: nothing here locks, reports or gives memory back to the system.
///
/// Invariant, at quiescence: slots out of the slabs == live + in fronts + lost,
/// where `lost` are slots that threads held which a fork left behind in its child.
template <class Policy>
class depot_stock {
public:
    using front_type = front<Policy>;
    using slabs_type = slab_set<typename Policy::pages>;

    depot_stock(const geometry& g, void* owner, metadata_arena<Policy>& arena) noexcept
        : slabs_{g, owner},
          arena_{arena} {}

    [[nodiscard]] slabs_type& slabs() noexcept { return slabs_; }

    /// A thread came. @param waited for another one
    void note_visit(bool waited) noexcept {
        ++visits_;
        contended_ += waited ? 1 : 0;
    }

    // -- slots go out -----------------------------------------------------------------------------

    using growth = typename slabs_type::growth;

    /// Loads objects into the empty front, which may be one of another home, and pops one. Null when there is none.
    [[LINN_DETAIL_SLOW]] void* take(front_type& f, growth may_grow) noexcept {
        return slabs_.load(f, may_grow);
    }

    /// Null when the system has no more.
    [[LINN_DETAIL_COLD]] void* take_one(const call_trace& by, refusals& noticed, growth may_grow) noexcept {
        void* object = nullptr;
        return slabs_.fill(&object, 1, may_grow, by, noticed) == 1 ? object : nullptr;
    }

    /// Writes pointers to `count` objects into `out`, or takes none. @returns false when there are too few
    [[LINN_DETAIL_COLD]] bool take_run(void* out, std::size_t count, const call_trace& by,
                                       refusals& noticed) noexcept {
        std::size_t done = 0;
        void* some[pointer_batch];
        while (done != count) {
            const std::size_t want = count - done < pointer_batch ? count - done : pointer_batch;
            const std::size_t got = slabs_.fill(some, want, growth::allowed, by, noticed);
            copy_reversed(static_cast<std::byte*>(out) + done * sizeof(void*), some, got);
            done += got;
            if (got != want) {
                for_each_batch(out, done, [&](void** taken, std::size_t n) { give(taken, n, noticed); });
                return false;
            }
        }
        return true;
    }

    // -- slots come back --------------------------------------------------------------------------

    /// See magazine_cache.
    std::size_t to_flush(front_type& f) const noexcept {
        return f.to_flush(epoch_.load(std::memory_order_relaxed));
    }

    /// Objects of other depots that one visit of a front finds.
    static constexpr std::size_t most_others = 256;

    /// Takes back the `n` slots of `f` that came first, in parts: one in which objects of other depots are is the last, and has
    /// them in `others`. Leaves in `n` how many are to follow. @returns how many others there are
    std::size_t flush(front_type& f, std::size_t& n, void** others, refusals& refused) noexcept {
        n = n < f.count() ? n : f.count();
        std::size_t done = 0;
        std::size_t found = 0;
        while (done != n && found == 0) {
            const std::size_t part = n - done < most_others ? n - done : most_others;
            void** const from = f.entries() + done;
            found = give(from, part, refused);
            std::memcpy(others, from, found * sizeof(void*));
            done += part;
        }
        f.drop_oldest(done);
        n -= done;
        return found;
    }

    /// @returns how many objects belong to another depot; these are now the first of `objects`
    [[LINN_DETAIL_SLOW]] std::size_t give(void** objects, std::size_t count, refusals& refused,
                                          const call_trace& by = no_trace) noexcept {
        std::size_t others = 0;
        // Places that are written here have been read by the slabs already.
        const auto reject = [&](misuse_kind why, void* object, const slot_evidence& evidence) {
            if (why == misuse_kind::wrong_pool) {
                objects[others++] = object;
            } else {
                refused(why, object, evidence);
            }
        };
        slabs_.give(objects, count, reject, by);
        return others;
    }

    /// Notes pages that should go back: see slab_set::take_cold. Few in a visit, so that no caller pays for the whole of a
    /// shrinking pool. @returns whether there are any
    [[LINN_DETAIL_ALWAYS_INLINE]] bool take_cold(cold_pages& leaving) noexcept {
        return slabs_.has_excess() && slabs_.take_cold(Policy::clock::now_ms(), leaving);
    }

    // -- threads ----------------------------------------------------------------------------------

    /// An array for a front, of one that went; null when there is none.
    front_array* take_unused_array() noexcept {
        front_array* const a = unused_;
        unused_ = a != nullptr ? a->next : nullptr;
        return a;
    }
    /// A new one; null when there is no memory. Needs no lock.
    front_array* make_array() noexcept {
        void* const memory = arena_.allocate(front_array::bytes_for(most()));
        return memory != nullptr ? ::new (memory) front_array : nullptr;
    }

    void attach(front_type& f, front_array& array) noexcept {
        f.use(array.entries(), 0, most());
        f.epoch = epoch_.load(std::memory_order_relaxed);
        f.refill = front_type::first_refill;
        fronts_.push_front(&f);
    }

    /// @pre `f` holds nothing
    [[LINN_DETAIL_COLD]] void detach(front_type& f) noexcept {
        put_before(unused_, front_array::of(f.entries()));
        f.top = f.bottom = f.limit = slot_place::none;
        fronts_.remove(&f);
    }

    /// Each thread gives back what it caches, at its next visit.
    void ask_for_flush() noexcept { epoch_.fetch_add(1, std::memory_order_relaxed); }

    /// In the child of a fork: threads other than `survivor` are gone, and what they cached cannot be trusted, since
    /// each may have been in the middle of a change.
    [[LINN_DETAIL_COLD]] void forget_threads_but(std::uintptr_t survivor) noexcept {
        for (front_type* f = fronts_.front(); f != nullptr;) {
            front_type* next = f->next_in_depot;
            if (f->thread != survivor) {
                front_array* const a = front_array::of(f->shown_entries());
                lost_ += a->count = f->shown_count(most());
                put_before(written_off_, a);
                fronts_.remove(f);
            }
            f = next;
        }
        slabs_.put_back_all();
    }

    // -- what there is ----------------------------------------------------------------------------

    /// Adds what the stock knows. `s.live` counts what is out, for the caller to subtract from: threads of one home may cache
    /// objects of another, or have lost them.
    void add_to(pool_statistics& s, std::size_t& lost) noexcept {
        for (const front_type* f = fronts_.front(); f != nullptr; f = f->next_in_depot) {
            ++s.threads;
            s.cached += f->shown_count(most());
        }
        s.live += slabs_.out();
        lost += lost_;
        slabs_.add_to(s);
        s.depot_visits += visits_;
        s.contended += contended_;
    }

    /// Appends what threads hold or held. False when there is no memory.
    /// @pre no other thread uses the pool meanwhile
    bool append_cached(pointer_set<typename Policy::pages>& cached) noexcept {
        for (const front_type* f = fronts_.front(); f != nullptr; f = f->next_in_depot) {
            if (!cached.append(f->shown_entries(), f->shown_count(most()))) {
                return false;
            }
        }
        for (front_array* a = written_off_; a != nullptr; a = a->next) {
            if (!cached.append(a->entries(), a->count)) {
                return false;
            }
        }
        return true;
    }

private:
    static void put_before(front_array*& first, front_array* a) noexcept {
        a->next = first;
        first = a;
    }

    /// The capacity of a front: two magazines.
    [[nodiscard]] std::size_t most() const noexcept { return 2 * slabs_.sizes().magazine_slots; }

    slabs_type slabs_;
    metadata_arena<Policy>& arena_;
    front_array* unused_ = nullptr; ///< that no front has
    linked_list<front_type, &front_type::next_in_depot, &front_type::previous_in_depot> fronts_;
    front_array* written_off_ = nullptr;                       ///< of threads that a fork left behind
    std::size_t lost_ = 0;                                     ///< objects in those
    typename Policy::template atomic<std::uint32_t> epoch_{0}; ///< counts trims
    std::size_t visits_ = 0;
    std::size_t contended_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
