// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_CORE_HPP
#define LINN_DETAIL_SYNC_RESOURCE_CORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/resource_classes.hpp>
#include <linn/detail/sync/resource_memory.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A pool for every size class, with a cache for each thread. docs/design/memory_resource.md shows the parts.
///
/// All of it belongs to the object: `release` gives everything back at once.
template <class Policy>
class resource_core : public in_fork_registry<resource_core<Policy>, typename Policy::mutex> {
public:
    using depot_type = class_depot<Policy>;
    using registry_type = fork_registry<resource_core, typename Policy::mutex>;

    explicit resource_core(const resource_settings& s) noexcept
        : memory_{s, *this},
          mode_{service_here(memory_.limited())},
          arena_{*this},
          blocks_{*this} {}
    resource_core(const resource_core&) = delete;
    resource_core& operator=(const resource_core&) = delete;
    ~resource_core() {
        release();
        registry_type::leave(*this); // an upstream may have been locked meanwhile
    }

    // -- the hot path ------------------------------------------------------------------------------

    /// Takes a slot of class `c` from this thread's cache; false when that is empty.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool pop(std::size_t c, void*& slot) noexcept {
        return fronts_.here().fronts[c].try_pop(slot);
    }

    /// Puts a slot of class `c` into this thread's cache; false when that is full.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool push(std::size_t c, void* slot) noexcept {
        return fronts_.here().fronts[c].try_push(slot);
    }

    // -- slow paths --------------------------------------------------------------------------------

    /// @returns null when the system has no memory, or at the limit @throws what upstream throws; nothing has changed then
    [[LINN_DETAIL_NOINLINE]] void* take(unsigned c) {
        if (void* slot = nullptr; pop(c, slot)) { // large sizes, and requests of no bytes, come here at once
            return slot;
        }
        join_forks();
        news told{memory_.settings.pool, class_bytes(c)};
        depot_type* d = depot_at(c, told);
        if (d == nullptr) {
            return nullptr;
        }
        magazine_cache* f = front_at(c, told);
        if (void* slot = nullptr; f != nullptr && f->try_pop(slot)) { // in the child of a fork
            return told.served(slot);
        }
        if (void* slot = d->take(f); slot != nullptr) {
            return told.served(slot);
        }
        const turn mine{memory_.turn()};
        // Where we waited for our turn, another thread may have brought a slab.
        void* slot = memory_.limited() ? d->take(f) : nullptr;
        while (slot == nullptr) {
            if (!bring_slab(*d, told)) {
                return nullptr;
            }
            slot = d->take(f);
        }
        return told.served(slot);
    }

    [[LINN_DETAIL_NOINLINE]] void put(unsigned c, void* slot) noexcept {
        if (push(c, slot)) {
            return;
        }
        join_forks();
        refusals refused;
        news told{memory_.settings.pool};
        // relaxed: made by the thread that allocated `slot`, which reached this thread in some ordered way
        depot_type* d = depots_[c].load(std::memory_order_relaxed);
        if (d == nullptr) {
            refused(misuse_kind::foreign_pointer, slot);
        } else {
            bool leaving = false;
            if (magazine_cache* f = or_null([&] { return front_at(c, told); }); // a free must not fail
                f != nullptr) {
                const std::size_t n = f->to_flush(epoch_.load(std::memory_order_relaxed));
                leaving = d->flush(*f, n, refused);
                f->try_push(slot);
            } else {
                leaving = d->give(&slot, 1, refused);
            }
            if (leaving) {
                const turn mine{memory_.turn()};
                give_back_cold(*d, told);
            }
            if (!memory_.limited()) {
                sweep_others(told);
            }
        }
        settle(refused);
    }

    /// A block that is in no slab. @returns null when its total size overflows, at the limit, or when there is no memory
    void* take_block(std::size_t bytes, std::size_t align, block_origin origin) {
        news told{memory_.settings.pool, bytes};
        const std::size_t head = tracked_block::head_bytes(align);
        constexpr auto most = static_cast<std::size_t>(PTRDIFF_MAX);
        if (head > most || bytes > most - head) {
            return nullptr;
        }
        const turn mine{memory_.turn()};
        if (!make_room(head + bytes, told)) {
            return nullptr;
        }
        void* base = memory_.get_block(head + bytes, align < block_align ? block_align : align, origin);
        return base != nullptr ? told.served(blocks_.add(base, bytes, align, origin)) : nullptr;
    }

    void put_block(void* p, std::size_t bytes, std::size_t align) noexcept {
        using outcome = typename tracked_blocks<Policy>::outcome;
        switch (blocks_.take(p, bytes, align)) {
        case outcome::taken:
            free_block(tracked_block::before(p));
            return;
        case outcome::other_size:
            report(misuse{misuse_kind::wrong_size, resource_type_name, p, 1});
            return;
        case outcome::unknown:
            report(misuse{kind_of(misuse_kind::foreign_pointer, p), resource_type_name, p, 1});
            return;
        }
    }

    // -- the rest ------------------------------------------------------------------------------------

    /// Frees everything, also live blocks. @pre no other thread uses the resource meanwhile
    ///
    /// First takes away what a fork and `linn::statistics()` of other threads would look at. So a child that is copied later finds
    /// a resource without depots, and none of half-freed memory.
    void release() noexcept {
        news told{memory_.settings.pool};
        registry_type::leave(*this);
        fronts_.forget_all();
        depot_type* gone[size_class_count] = {};
        for_each_depot([&](depot_type& d, unsigned c) {
            gone[c] = &d;
            depots_[c].store(nullptr, std::memory_order_relaxed);
        });
        for (depot_type* d : gone) {
            if (d != nullptr) {
                const std::size_t align = d->sizes().slab_align;
                d->slabs().give_up([&](slab* s) {
                    told.returned(s->mapped_bytes);
                    memory_.put_chunk(s, s->mapped_bytes, align, true);
                });
                d->~depot_type();
            }
        }
        // Its lock joins again: in a fork handler of the program, what the fork has locked of this is released after it.
        blocks_.give_up([&](tracked_block* b) { free_block(b); });
        arena_.give_up([&](void* p) {
            memory_.put_chunk(p, chunk_arena<Policy>::chunk_bytes, chunk_arena<Policy>::chunk_align, true);
        });
    }

    /// Returns unused memory: caches of the calling thread, of threads that are over and of the depots at once, those of
    /// other threads at their next visit. @returns bytes
    std::size_t trim() noexcept {
        join_forks();
        // relaxed: a number that others compare with their own
        epoch_.fetch_add(1, std::memory_order_relaxed);
        std::size_t bytes = 0;
        refusals refused;
        news told{memory_.settings.pool};
        fronts_.for_each_at_rest([&](thread_block& b) {
            for_each_depot([&](depot_type& d, unsigned c) {
                if (magazine_cache& f = b.fronts[c]; f.count() != 0) {
                    d.flush(f, f.count(), refused);
                }
            });
        });
        for_each_depot([&](depot_type& d, unsigned) {
            d.locked([](auto& slabs) { slabs.begin_trim(); });
            for (bool more = true; more;) {
                const turn one{memory_.turn()};
                cold_pages leaving;
                more = d.locked(
                    [&](auto& slabs) { return slabs.trim_next(bytes, leaving, memory_.settings.own_pages); });
                bytes += give_back(d, leaving.of, told);
            }
        });
        if (memory_.settings.own_pages) {
            the_spare_chunks.drop([&bytes](void* p, std::size_t n, std::size_t align) {
                Policy::pages::unmap(p, n, align);
                bytes += n;
            });
        }
        settle(refused);
        return bytes;
    }

    /// Calls `see(const pool_statistics&)` for each class that is in use, then for the blocks in no slab.
    template <class See>
    void statistics(See&& see) {
        for_each_depot([&](depot_type& d, unsigned c) {
            const auto held = fronts_.count(c);
            pool_statistics s = d.statistics(held.slot_count);
            s.type = resource_type_name;
            s.threads = held.threads;
            see(s);
        });
        if (pool_statistics s = blocks_.statistics(); s.peak != 0) {
            s.type = resource_type_name;
            see(s);
        }
    }

    [[nodiscard]] void* upstream() const noexcept { return memory_.settings.upstream.context; }
    /// Whether each request is a block of its own, so that a memory checker sees it.
    [[nodiscard]] bool bypasses() const noexcept { return mode_ == service::bypass; }

    /// For tests, at quiescence.
    [[nodiscard]] bool consistent() noexcept {
        return !any_depot([](depot_type& d, unsigned) {
            return !d.locked([](auto& slabs) { return slabs.consistent(); });
        });
    }

private:
    friend registry_type;

    using thread_block = typename resource_fronts<Policy>::block;
    using turn = lock_guard<typename Policy::mutex>;
    using news = resource_news;

    static_assert(sizeof(depot_type) <= chunk_arena<Policy>::most_bytes);
    static_assert(sizeof(thread_block) <= chunk_arena<Policy>::most_bytes);
    static_assert(most_resource_front_slots * sizeof(void*) <= chunk_arena<Policy>::most_bytes);

    // -- this thread's part -------------------------------------------------------------------------

    /// This thread's front of class `c` with its array; null when it can have none.
    magazine_cache* front_at(unsigned c, news& told) {
        auto* const place = mode_ == service::cached ? fronts_.place() : nullptr;
        if (place == nullptr) {
            return nullptr;
        }
        thread_block* b = place->load(std::memory_order_relaxed);
        if (!fronts_.is_made(b)) {
            void* memory = bookkeeping(sizeof(thread_block), told);
            if (memory == nullptr) {
                return nullptr;
            }
            b = ::new (memory) thread_block;
            place->store(b, std::memory_order_relaxed); // see resource_fronts::count
        }
        magazine_cache& f = b->fronts[c];
        if (!f.has_places()) {
            const std::size_t n = resource_front_slots(c);
            auto* array = static_cast<void**>(bookkeeping(n * sizeof(void*), told));
            if (array == nullptr) {
                return nullptr;
            }
            f.refill = magazine_cache::first_refill;
            f.epoch = epoch_.load(std::memory_order_relaxed);
            f.use(array, 0, n);
        }
        return &f;
    }

    // -- memory ---------------------------------------------------------------------------------------

    /// Whether the limit leaves room for `bytes`, once enough empty slabs were returned. @pre it is our turn
    bool make_room(std::size_t bytes, news& told) noexcept {
        const auto fits = [&] { return bytes <= memory_.room(); };
        if (bytes <= memory_.settings.max_bytes && !fits()) {
            any_depot([&](depot_type& d, unsigned) {
                for (cold_pages leaving;
                     !fits() && d.locked([&](auto& slabs) { return slabs.take_empty(leaving); });
                     leaving = cold_pages{}) {
                    give_back(d, leaving.of, told);
                }
                return fits();
            });
        }
        const bool enough = fits();
        told.at_limit(!enough);
        return enough;
    }

    void* bookkeeping(std::size_t bytes, news& told) {
        for (;;) {
            if (void* p = arena_.bump(bytes); p != nullptr) {
                return p;
            }
            constexpr std::size_t chunk_bytes = chunk_arena<Policy>::chunk_bytes;
            const turn mine{memory_.turn()};
            if (void* p = memory_.limited() ? arena_.bump(bytes) : nullptr; p != nullptr) {
                return p; // another thread brought a chunk while we waited
            }
            void* chunk = make_room(chunk_bytes, told)
                              ? memory_.get_chunk(chunk_bytes, chunk_arena<Policy>::chunk_align)
                              : nullptr;
            if (chunk == nullptr) {
                return nullptr;
            }
            arena_.add(chunk);
        }
    }

    depot_type* depot_made(unsigned c) noexcept { return read_published(depots_[c]); }

    /// Calls `is(depot, class)` for each class that is in use, until it returns true. @returns whether it did
    template <class Is>
    bool any_depot(Is&& is) {
        for (unsigned c = 0; c < size_class_count; ++c) {
            if (depot_type* d = depot_made(c); d != nullptr && is(*d, c)) {
                return true;
            }
        }
        return false;
    }

    /// Calls `f(depot, class)` for each.
    template <class F>
    void for_each_depot(F&& f) {
        any_depot([&f](depot_type& d, unsigned c) {
            f(d, c);
            return false;
        });
    }

    /// The depot of class `c`, made at the first call.
    depot_type* depot_at(unsigned c, news& told) {
        if (depot_type* made = depot_made(c); made != nullptr) {
            return made;
        }
        void* memory = bookkeeping(sizeof(depot_type), told);
        if (memory == nullptr) {
            return nullptr;
        }
        // Under a lock that forks wait for: they must see every depot that anybody may be inside of.
        lock_guard<typename Policy::mutex> guard{arena_.lock()};
        if (depot_type* made = depots_[c].load(std::memory_order_relaxed); made != nullptr) {
            return made;
        }
        auto* made = ::new (memory)
            depot_type{*this, resource_geometry(memory_.settings, c, Policy::pages::offset_step())};
        publish(depots_[c], made);
        return made;
    }

    /// Asks for a slab, with no lock held but the turn, and gives it to the depot. False when there is none.
    bool bring_slab(depot_type& d, news& told) {
        if (!make_room(smallest_slab_bytes(d.sizes()), told)) {
            return false;
        }
        const std::size_t room = memory_.room() / page_bytes * page_bytes;
        const std::size_t next = d.locked([](auto& slabs) { return slabs.next_slab_bytes(); });
        const std::size_t bytes = next < room ? next : room;
        const std::size_t align = d.sizes().slab_align;
        void* memory = memory_.get_chunk(bytes, align, d.sizes().slab_offset);
        if (memory == nullptr) {
            return false;
        }
        if (d.locked([&](auto& slabs) { return slabs.adopt(memory, bytes); })) {
            told.mapped(bytes);
            return true;
        }
        memory_.put_chunk(memory, bytes, align);
        return false;
    }

    /// Of a slab that is away. @returns the bytes that went back, 0 for null
    std::size_t give_back(depot_type& d, slab* s, news& told) noexcept {
        if (s == nullptr) {
            return 0;
        }
        const std::size_t mapped = s->mapped_bytes;
        const std::size_t bytes = memory_.settings.own_pages ? page_bytes + s->touched_bytes() : mapped;
        d.locked([&](auto& slabs) { slabs.disown(s, bytes); });
        memory_.put_chunk(s, mapped, d.sizes().slab_align);
        told.returned(mapped);
        return bytes;
    }

    /// What was unused for a second: whole slabs to where they came from, pages of others to the system, if they are ours.
    /// @returns false when that was nothing
    bool give_back_cold(depot_type& d, news& told) noexcept {
        for (int done = 0; done != slabs_a_visit; ++done) {
            cold_pages leaving;
            if (!d.locked([&](auto& slabs) {
                    return slabs.has_excess() && slabs.take_cold(Policy::clock::now_ms(), leaving);
                })) {
                return done != 0;
            }
            if (leaving.whole) {
                give_back(d, leaving.of, told);
            } else {
                const std::size_t gone =
                    memory_.settings.own_pages ? slab_set<typename Policy::pages>::discard(leaving) : 0;
                d.locked([&](auto& slabs) { slabs.put_cold(leaving, gone); });
            }
        }
        return true;
    }

    /// The same for all sizes, since none may visit the depot of one again; as much as one caller may return.
    /// Not below a limit, where a size that needs memory takes it from the others. @complexity a clock; now and then O(sizes)
    void sweep_others(news& told) noexcept {
        const std::uint64_t now_ms = Policy::clock::now_ms();
        // relaxed: if two threads do it at once, no harm is done
        if (now_ms - swept_ms_.load(std::memory_order_relaxed) >= others_ms &&
            !any_depot([&](depot_type& d, unsigned) { return give_back_cold(d, told); })) {
            swept_ms_.store(now_ms, std::memory_order_relaxed); // otherwise more at the next visit
        }
    }

    void free_block(tracked_block* b) noexcept {
        memory_.put_block(b->base(), b->total_bytes(), b->align < block_align ? block_align : b->align,
                          b->origin);
    }

    // -- errors -----------------------------------------------------------------------------------------

    /// Reports what was refused. No lock is held.
    void settle(const refusals& refused) noexcept {
        for (std::size_t i = 0; i < refused.count; ++i) {
            const refusal& r = refused.all[i];
            report(misuse{kind_of(r.why, r.object), resource_type_name, r.object, 1});
        }
    }

    /// Whether `p` lies in a slab, or is a block. @complexity O(slabs + blocks)
    bool contains(void* p) noexcept { return in_slab(p) || blocks_.contains(p); }

    bool in_slab(const void* p) noexcept {
        return any_depot([p](depot_type& d, unsigned) {
            return d.locked([p](auto& slabs) { return slabs.find(p) != nullptr; });
        });
    }

    /// What was wrong about freeing `p`. No lock is held. @complexity O(slabs of all resources)
    misuse_kind kind_of(misuse_kind why, void* p) noexcept {
        // What the slab does not fill of its alignment may belong to anybody.
        if (why == misuse_kind::double_free || (why == misuse_kind::interior_pointer && in_slab(p))) {
            return why;
        }
        if (contains(p)) {
            return misuse_kind::wrong_size;
        }
        const bool known = why == misuse_kind::wrong_pool ||
                           registry_type::process().any([p](auto& r) { return r.contains(p); });
        return known ? misuse_kind::wrong_pool : misuse_kind::foreign_pointer;
    }

    // -- fork -------------------------------------------------------------------------------------------

    /// From the first use on, rather than when it is made: the constructor then waits for no fork, and may run inside the
    /// guard of a static variable, which no fork waits for. In the child of a fork from the next use on.
    void join_forks() noexcept {
        if (!fronts_.is_open()) [[LINN_DETAIL_UNLIKELY]] {
            this->join();
            fronts_.open();
        }
    }

    /// The resource, or what its upstream hands out, may lie on the stack of a thread.
    [[nodiscard]] bool outlives_threads(const module_image& module) const noexcept {
        return memory_.settings.memory_stays && module.contains(this);
    }

    void lock_for_fork() noexcept {
        arena_.lock().lock_for_fork(); // from here on only handlers of this fork make a depot
        for_each_depot([](depot_type& d, unsigned) { d.lock().lock_for_fork(); });
        blocks_.lock().lock_for_fork();
    }

    void unlock_in_parent() noexcept {
        unlock_all([](auto& lock) { lock.unlock_after_fork(); });
    }
    void unlock_in_child() noexcept {
        fronts_.forget_other_threads([this](unsigned c, std::size_t slot_count) {
            if (depot_type* d = depot_made(c); d != nullptr) {
                d->lose(slot_count);
            }
        });
        for_each_depot([](depot_type& d, unsigned) { d.slabs().put_back_all(); });
        memory_.reset_locks();
        unlock_all([](auto& lock) { lock.reset(); });
    }

    /// Releases the locks that `lock_for_fork` took.
    template <class Open>
    void unlock_all(Open&& open) noexcept {
        open(blocks_.lock());
        for_each_depot([&](depot_type& d, unsigned) { open(d.lock()); });
        open(arena_.lock());
    }

    static constexpr int slabs_a_visit = 8;        ///< whose memory one caller returns
    static constexpr std::uint64_t others_ms = 20; ///< at most so often a visit looks at all sizes

    resource_fronts<Policy> fronts_; // first: the hot path begins there
    typename Policy::template atomic<depot_type*> depots_[size_class_count] = {};
    typename Policy::template atomic<std::uint32_t> epoch_{0};    ///< counts trims
    typename Policy::template atomic<std::uint64_t> swept_ms_{0}; ///< see sweep_others
    resource_memory<Policy> memory_;
    service mode_;
    chunk_arena<Policy> arena_;
    tracked_blocks<Policy> blocks_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
