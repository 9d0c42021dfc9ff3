// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BUFFER_STORE_HPP
#define LINN_DETAIL_SYNC_BUFFER_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/os/buffer_pages.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>
#include <linn/detail/sync/fork_registry.hpp>
#include <linn/detail/sync/idle_store.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/observer.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/types/pool_statistics.hpp>

#include <atomic>
#include <cstddef>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// What large buffers take from outside; tests put others in its place.
struct buffer_platform {
    using pages = system_buffer_pages;
    using mutex = detail::mutex;
    using engine = platform; ///< threads and their numbers
};

/// What a store is made with, checked and rounded.
struct buffer_plan {
    std::size_t bytes = 0; ///< as the user said
    buffer_request request{};
    std::size_t retain = 0; ///< idle buffers that are kept
    std::size_t most = 0;   ///< buffers that may be mapped at once; 0: no limit
    bool prefault = false;
    bool asymmetric = false;    ///< whether `enable_thread_barrier` returned true
    const void* pool = nullptr; ///< whom the observer hears of
};

inline constexpr std::string_view buffer_type_name = "linn::buffer";

/// Numbers of a store.
struct buffer_counts {
    std::size_t live = 0;
    std::size_t peak = 0;
    std::size_t idle = 0;
    std::size_t mapped = 0;      ///< live, idle, and on the way to either
    std::size_t transparent = 0; ///< of the mapped, those with that kind of page
    std::size_t reserved = 0;
    std::size_t acquired = 0;     ///< in total
    std::size_t mappings = 0;     ///< in total
    std::size_t huge_refused = 0; ///< of these, those that got less than was asked for
    std::size_t returned = 0;     ///< buffers returned to the system, in total
    std::size_t visits = 0;
    std::size_t contended = 0;
};

/// Buffers of one size: where the idle ones are, and counts. Lives until its pool is gone *and* its last
/// buffer came back.
///
/// Every buffer is idle (in `idle_`, closed) or live (its block belongs to a handle, open), or a thread is just mapping it.
/// A thread that releases and acquires does both in its front of `idle_`, where no other thread is. So nothing counts live
/// buffers: `live = mapped - promised - idle`.
///
/// When `acquire` maps, no buffer is idle in any front. When the pool goes, all fronts are closed for good: each release
/// comes to the lock, and the one that leaves nothing mapped ends the store.
///
/// No system call that may take long and no allocation happens under the lock: what the lock decides is done after it. The
/// barrier that closes fronts is one.
///
/// @threads any, except `orphan`
template <class Policy>
class buffer_store : private in_fork_registry<buffer_store<Policy>, typename Policy::mutex> {
public:
    using pages = typename Policy::pages;
    using mutex_type = typename Policy::mutex;

    /// The descriptor of a buffer, apart from it: neither acquire nor release touches the memory.
    struct block {
        buffer_mapping memory;
        buffer_store* owner = nullptr;
        block* next = nullptr; ///< while it is idle, or on its way to the system
        bool is_protected = false;
    };

    using registry = fork_registry<buffer_store, mutex_type>;

    /// Null when there is no memory for it.
    static buffer_store* make(const buffer_plan& plan, registry& stores = registry::process()) noexcept {
        auto* store = ::new (std::nothrow) buffer_store{plan};
        if (store != nullptr) {
            stores.enter(*store);
        }
        return store;
    }

    buffer_store(const buffer_store&) = delete;
    buffer_store& operator=(const buffer_store&) = delete;

    /// The buffer that came back last on this thread, else another idle one, else a new one. Null when the system or the
    /// limit says no.
    [[nodiscard]] [[LINN_DETAIL_ALWAYS_INLINE]] block* acquire() noexcept {
        block* b = nullptr;
        if (idle_.try_take(b) && open(*b)) [[LINN_DETAIL_LIKELY]] {
            return b;
        }
        return acquire_slow(b);
    }

    /// Takes a buffer back, on any thread, also after `orphan`.
    [[LINN_DETAIL_ALWAYS_INLINE]] static void release(block* b) noexcept {
        buffer_store* store = b->owner;
        store->close(*b);
        if (!store->idle_.try_put(b)) [[LINN_DETAIL_UNLIKELY]] {
            store->release_slow(b);
        }
    }

    /// Sees to it that `n` buffers are idle, and that as many are kept from now on.
    /// @returns false when the system or the limit says no; what was made so far is kept
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        {
            lock_guard<mutex_type> guard{idle_.lock()};
            idle_.raise_capacity(n);
            idle_.bar(); // so that all that is idle is in the depot until this is done
        }
        bool done = false;
        for (bool goes_on = true; goes_on;) {
            bool promised = false;
            {
                lock_guard<mutex_type> guard{idle_.lock()};
                note_visit(guard);
                done = idle_.in_depot() >= n;
                if (done) {
                    break;
                }
                promised = promise();
            }
            block* b = promised ? map_promised() : nullptr;
            if (b != nullptr) {
                close(*b);
                lock_guard<mutex_type> guard{idle_.lock()};
                note_mapped(*b);
                // Never refused: fewer than `n` were idle, and what came back meanwhile makes this one too many at worst.
                idle_.put(b);
            }
            tell_mapped(b, promised);
            goes_on = b != nullptr;
        }
        lock_guard<mutex_type> guard{idle_.lock()};
        idle_.unbar();
        return done;
    }

    /// Gives all idle buffers back to the system. @returns bytes
    std::size_t trim() noexcept {
        block* all = nullptr;
        {
            lock_guard<mutex_type> guard{idle_.lock()};
            note_visit(guard);
            all = forget_all(idle_.take_all());
        }
        return unmap_all(all, plan_.pool);
    }

    /// The pool is gone: from now on each release gives its memory to the system, and the last one
    /// ends the store. @pre no other call but `release` runs or follows
    void orphan() noexcept {
        const void* const pool = plan_.pool; // once the lock is free, another thread may end the store
        block* all = nullptr;
        bool last = false;
        {
            lock_guard<mutex_type> guard{idle_.lock()};
            all = forget_all(idle_.close());
            last = counts_.mapped == 0;
        }
        if (last) {
            destroy();
        }
        unmap_all(all, pool);
    }

    /// Exact while no other thread uses the store; but `peak` is an upper bound where several threads cached: see `note_live`.
    [[nodiscard]] buffer_counts counts() noexcept {
        lock_guard<mutex_type> guard{idle_.lock()};
        buffer_counts c = counts_;
        const std::size_t all = c.mapped - promised_;
        const std::size_t idle = idle_.idle(); // while buffers move, one may be seen in two fronts
        c.idle = idle < all ? idle : all;
        c.live = all - c.idle;
        c.acquired += idle_.taken();
        return c;
    }

    /// The numbers that every kind of pool has. An object is a buffer.
    [[nodiscard]] pool_statistics statistics(const buffer_counts& c) const noexcept {
        pool_statistics s;
        s.type = buffer_type_name;
        s.object_bytes = plan_.bytes;
        s.slot_bytes = plan_.request.bytes;
        s.live = c.live;
        s.peak = c.peak;
        s.cached = c.idle;
        s.slabs = c.mapped;
        s.reserved_bytes = s.resident_bytes = c.mapped * s.slot_bytes;
        s.returned_bytes = c.returned * s.slot_bytes;
        s.depot_visits = c.visits;
        s.contended = c.contended;
        return s;
    }

    [[nodiscard]] const buffer_plan& plan() const noexcept { return plan_; }

private:
    friend registry;
    using idle_type = idle_store<typename Policy::engine, block, mutex_type, true>;
    using front = typename idle_type::front;

    void lock_for_fork() noexcept { idle_.lock_for_fork(); }
    void unlock_in_parent() noexcept { idle_.unlock_in_parent(); }
    void unlock_in_child() noexcept { idle_.unlock_in_child(); }

    explicit buffer_store(const buffer_plan& plan) noexcept
        : plan_{plan},
          idle_{plan.retain, plan.asymmetric, *this},
          protect_idle_{(checked_build && !sanitizer_poison) || running_on_memcheck()} {}
    ~buffer_store() = default;

    // --- past the front ---------------------------------------------------------------------------

    /// @param lost null, or a buffer that the system does not open
    [[LINN_DETAIL_NOINLINE]] block* acquire_slow(block* lost) noexcept {
        for (;;) {
            if (lost != nullptr) {
                lose(lost);
            }
            front* f = nullptr;
            block* b = nullptr;
            bool promised = false;
            if (!idle_.take_attached(f, b)) {
                lock_guard<mutex_type> guard{idle_.lock()};
                note_visit(guard);
                if (idle_.find(f, b)) {
                    note_live();
                } else {
                    promised = promise();
                }
            }
            if (b == nullptr) {
                b = promised ? map_promised() : nullptr;
                if (b != nullptr) {
                    lock_guard<mutex_type> guard{idle_.lock()};
                    note_mapped(*b);
                    note_live();
                }
                tell_mapped(b, promised);
                return b;
            }
            if (open(*b)) [[LINN_DETAIL_LIKELY]] {
                return b;
            }
            lost = b;
        }
    }

    [[LINN_DETAIL_NOINLINE]] void release_slow(block* b) noexcept {
        const std::size_t bytes = b->memory.bytes;
        front* f = nullptr;
        if (idle_.put_attached(f, b)) {
            return;
        }
        bool kept = false;
        bool last = false;
        const void* pool = nullptr; // the store may be gone when the observer hears
        {
            lock_guard<mutex_type> guard{idle_.lock()};
            const bool orphaned = idle_.closed();
            pool = orphaned ? nullptr : plan_.pool;
            note_visit(guard);
            kept = !orphaned && idle_.keep(f, b);
            if (!kept) {
                forget(*b);
                last = orphaned && counts_.mapped == 0;
            }
        }
        if (!kept) {
            unmap(b);
        }
        if (last) {
            destroy();
        }
        if (!kept) {
            tell_returned(1, bytes, pool);
        }
    }

    /// The system refuses to lift the protection of a buffer: it is lost, the next may do.
    void lose(block* b) noexcept {
        {
            lock_guard<mutex_type> guard{idle_.lock()};
            forget(*b);
            --counts_.acquired;
        }
        unmap(b);
        tell_returned(1, plan_.request.bytes, plan_.pool);
    }

    // --- under the lock ----------------------------------------------------------------------------

    void note_visit(const lock_guard<mutex_type>& guard) noexcept {
        ++counts_.visits;
        counts_.contended += guard.waited() ? 1U : 0U;
    }

    /// A thread that comes here found its front empty, or none. So what fronts hold, which is counted in the peak as if it were
    /// live, is that of other threads. What a thread then takes out of its front was live before: it gave it back itself.
    void note_live() noexcept {
        ++counts_.acquired;
        const std::size_t out = counts_.mapped - promised_ - idle_.in_depot();
        counts_.peak = counts_.peak < out ? out : counts_.peak;
    }

    /// Counts a buffer that the caller maps after the lock.
    bool promise() noexcept {
        if (plan_.most != 0 && counts_.mapped >= plan_.most) {
            return false;
        }
        ++counts_.mapped;
        ++promised_;
        return true;
    }

    void note_mapped(const block& b) noexcept {
        --promised_;
        ++counts_.mappings;
        counts_.transparent += b.memory.huge == huge_page_use::transparent ? 1U : 0U;
        counts_.reserved += b.memory.huge == huge_page_use::reserved ? 1U : 0U;
        counts_.huge_refused += b.memory.huge != plan_.request.huge ? 1U : 0U;
    }

    /// Takes a buffer off the counts that the caller unmaps after the lock.
    void forget(const block& b) noexcept {
        --counts_.mapped;
        ++counts_.returned;
        counts_.transparent -= b.memory.huge == huge_page_use::transparent ? 1U : 0U;
        counts_.reserved -= b.memory.huge == huge_page_use::reserved ? 1U : 0U;
    }

    block* forget_all(block* all) noexcept {
        for (const block* b = all; b != nullptr; b = b->next) {
            forget(*b);
        }
        return all;
    }

    // --- without it --------------------------------------------------------------------------------

    /// An open buffer, not yet counted. Null when the system refuses; then the promise is taken back.
    block* map_promised() noexcept {
        auto* b = ::new (std::nothrow) block;
        if (b != nullptr && pages::map(plan_.request, b->memory)) {
            b->owner = this;
            pages::open(b->memory, false); // lifts no protection, so nothing can be refused
            if (plan_.prefault && !pages::prefault(b->memory)) {
                close(*b);
                unmap(b);
                b = nullptr;
            }
        } else {
            delete b;
            b = nullptr;
        }
        if (b == nullptr) {
            lock_guard<mutex_type> guard{idle_.lock()};
            --counts_.mapped;
            --promised_;
        }
        return b;
    }

    bool open(block& b) noexcept {
        if (!pages::open(b.memory, b.is_protected)) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        if (b.is_protected) [[LINN_DETAIL_UNLIKELY]] {
            b.is_protected = false;
        }
        return true;
    }

    void close(block& b) noexcept {
        const bool protects = protect_idle_;
        pages::close(b.memory, protects);
        if (protects) [[LINN_DETAIL_UNLIKELY]] {
            b.is_protected = true;
        }
    }

    static void unmap(block* b) noexcept {
        pages::unmap(b->memory);
        delete b;
    }

    static std::size_t unmap_all(block* all, const void* pool) noexcept {
        std::size_t count = 0;
        std::size_t bytes = 0;
        while (all != nullptr) {
            block* b = all;
            all = b->next;
            ++count;
            bytes += b->memory.bytes;
            unmap(b);
        }
        if (count != 0) {
            tell_returned(count, bytes, pool);
        }
        return bytes;
    }

    /// Tells the observer of a new buffer, or that there is none.
    void tell_mapped(const block* b, bool promised) const noexcept {
        const auto kind = b != nullptr ? pool_event_kind::slab_mapped
                          : promised   ? pool_event_kind::out_of_memory
                                       : pool_event_kind::limit_reached;
        tell_observer({kind, buffer_type_name, plan_.pool, 1, plan_.request.bytes});
    }
    static void tell_returned(std::size_t count, std::size_t bytes, const void* pool) noexcept {
        tell_observer({pool_event_kind::slab_returned, buffer_type_name, pool, count, bytes});
    }

    /// Another thread may still be on its way out of the lock: all that it does then is to wake
    /// sleepers by address, which is harmless when nothing is there.
    void destroy() noexcept {
        registry::leave(*this);
        delete this;
    }

    const buffer_plan plan_;
    idle_type idle_;           ///< its lock guards the next two, too
    std::size_t promised_ = 0; ///< of the mapped, those that a thread is mapping
    buffer_counts counts_;    ///< `live` and `idle` are not kept, `acquired` is without what came from fronts
    const bool protect_idle_; ///< idle memory is inaccessible, if no checker reports misuse
};

} // namespace linn::inline LINN_ABI::detail

#endif
