// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BUFFER_STORE_HPP
#define LINN_DETAIL_SYNC_BUFFER_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/os/buffer_pages.hpp>
#include <linn/detail/sanitizer/memcheck.hpp>
#include <linn/detail/sync/fork_registry.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/observer.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// What large buffers take from outside; tests put others in its place.
struct buffer_platform {
    using pages = system_buffer_pages;
    using mutex = detail::mutex;
};

/// What a store is made with, checked and rounded.
struct buffer_plan {
    std::size_t bytes = 0; ///< as the user said
    buffer_request request{};
    std::size_t retain = 0; ///< idle buffers that are kept
    std::size_t most = 0;   ///< buffers that may be mapped at once; 0: no limit
    bool prefault = false;
    const void* pool = nullptr; ///< whom the observer hears of
};

inline constexpr std::string_view buffer_type_name = "linn::buffer";

/// Counters of a store, all guarded by its lock.
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
    std::size_t returned = 0;     ///< buffers given back to the system, in total
    std::size_t visits = 0;
    std::size_t contended = 0;
};

/// Buffers of one size: a stack of idle ones, and counts. Lives until its pool is gone *and* its last
/// buffer came back.
///
/// Every buffer is idle (on the stack, closed) or live (its block belongs to a handle, open). No system
/// call and no allocation happens under the lock: what the lock decides is done after it.
///
/// @threads any, except `orphan`
template <class Policy>
class buffer_store : private in_fork_registry<buffer_store<Policy>> {
public:
    using pages = typename Policy::pages;
    using mutex_type = typename Policy::mutex;

    /// The descriptor of a buffer, apart from it: neither acquire nor release touches the memory.
    struct block {
        buffer_mapping memory;
        buffer_store* owner = nullptr;
        block* below = nullptr; ///< on the stack of idle buffers
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

    /// The buffer that came back last, else a new one. Null when the system or the limit says no.
    [[nodiscard]] block* acquire() noexcept {
        for (;;) {
            block* b = nullptr;
            bool promised = false;
            {
                lock_guard<mutex_type> guard{lock_};
                note_visit(guard);
                b = pop();
                if (b != nullptr) {
                    note_live();
                } else {
                    promised = promise();
                }
            }
            if (b == nullptr) {
                b = promised ? map_promised() : nullptr;
                if (b != nullptr) {
                    lock_guard<mutex_type> guard{lock_};
                    note_mapped(*b);
                    note_live();
                }
                tell_mapped(b, promised);
                return b;
            }
            if (open(*b)) [[likely]] {
                return b;
            }
            // The system refuses to lift a protection: this one is lost, the next may do.
            {
                lock_guard<mutex_type> guard{lock_};
                forget(*b);
                --counts_.live;
                --counts_.acquired;
            }
            unmap(b);
            tell_returned(1, plan_.request.bytes, plan_.pool);
        }
    }

    /// Takes a buffer back, on any thread, also after `orphan`.
    static void release(block* b) noexcept {
        buffer_store* store = b->owner;
        store->close(*b);
        const std::size_t bytes = b->memory.bytes;
        bool kept = false;
        bool last = false;
        const void* pool = nullptr; // the store may be gone when the observer hears
        {
            lock_guard<mutex_type> guard{store->lock_};
            pool = store->orphaned_ ? nullptr : store->plan_.pool;
            store->note_visit(guard);
            --store->counts_.live;
            kept = !store->orphaned_ && store->counts_.idle < store->retain_;
            if (kept) {
                store->push(b);
            } else {
                store->forget(*b);
                last = store->orphaned_ && store->counts_.live == 0;
            }
        }
        if (!kept) {
            unmap(b);
        }
        if (last) {
            store->destroy();
        }
        if (!kept) {
            tell_returned(1, bytes, pool);
        }
    }

    /// Sees to it that `n` buffers are idle, and that as many are kept from now on.
    /// @returns false when the system or the limit says no; what was made so far is kept
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        {
            lock_guard<mutex_type> guard{lock_};
            retain_ = retain_ < n ? n : retain_;
        }
        for (;;) {
            bool promised = false;
            {
                lock_guard<mutex_type> guard{lock_};
                note_visit(guard);
                if (counts_.idle >= n) {
                    return true;
                }
                promised = promise();
            }
            block* b = promised ? map_promised() : nullptr;
            if (b != nullptr) {
                close(*b);
                lock_guard<mutex_type> guard{lock_};
                note_mapped(*b);
                push(b);
            }
            tell_mapped(b, promised);
            if (b == nullptr) {
                return false;
            }
        }
    }

    /// Gives all idle buffers back to the system. @returns bytes
    std::size_t trim() noexcept {
        block* all = nullptr;
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard);
            all = take_all_idle();
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
            lock_guard<mutex_type> guard{lock_};
            orphaned_ = true;
            all = take_all_idle();
            last = counts_.live == 0;
        }
        if (last) {
            destroy();
        }
        unmap_all(all, pool);
    }

    [[nodiscard]] buffer_counts counts() noexcept {
        lock_guard<mutex_type> guard{lock_};
        return counts_;
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

    void lock_for_fork() noexcept { detail::lock_for_fork(lock_); }
    void unlock_in_parent() noexcept { unlock_after_fork(lock_); }
    void unlock_in_child() noexcept { lock_.reset(); }

    explicit buffer_store(const buffer_plan& plan) noexcept
        : plan_{plan},
          retain_{plan.retain},
          protect_idle_{(checked_build && !sanitizer_poison) || running_on_memcheck()} {}
    ~buffer_store() = default;

    // --- under the lock ----------------------------------------------------------------------------

    void note_visit(const lock_guard<mutex_type>& guard) noexcept {
        ++counts_.visits;
        counts_.contended += guard.waited() ? 1U : 0U;
    }

    void push(block* b) noexcept {
        b->below = idle_;
        idle_ = b;
        ++counts_.idle;
    }

    block* pop() noexcept {
        block* b = idle_;
        if (b != nullptr) {
            idle_ = b->below;
            --counts_.idle;
        }
        return b;
    }

    void note_live() noexcept {
        ++counts_.acquired;
        ++counts_.live;
        counts_.peak = counts_.peak < counts_.live ? counts_.live : counts_.peak;
    }

    /// Counts a buffer that is to be mapped after the lock.
    bool promise() noexcept {
        if (plan_.most != 0 && counts_.mapped >= plan_.most) {
            return false;
        }
        ++counts_.mapped;
        return true;
    }

    void note_mapped(const block& b) noexcept {
        ++counts_.mappings;
        counts_.transparent += b.memory.huge == huge_page_use::transparent ? 1U : 0U;
        counts_.reserved += b.memory.huge == huge_page_use::reserved ? 1U : 0U;
        counts_.huge_refused += b.memory.huge != plan_.request.huge ? 1U : 0U;
    }

    /// Takes a buffer that is to be unmapped after the lock off the counts.
    void forget(const block& b) noexcept {
        --counts_.mapped;
        ++counts_.returned;
        counts_.transparent -= b.memory.huge == huge_page_use::transparent ? 1U : 0U;
        counts_.reserved -= b.memory.huge == huge_page_use::reserved ? 1U : 0U;
    }

    block* take_all_idle() noexcept {
        block* all = idle_;
        for (const block* b = all; b != nullptr; b = b->below) {
            forget(*b);
        }
        idle_ = nullptr;
        counts_.idle = 0;
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
            lock_guard<mutex_type> guard{lock_};
            --counts_.mapped;
        }
        return b;
    }

    bool open(block& b) noexcept {
        if (!pages::open(b.memory, b.is_protected)) {
            return false;
        }
        b.is_protected = false;
        return true;
    }

    void close(block& b) noexcept {
        pages::close(b.memory, protect_idle_);
        b.is_protected = protect_idle_;
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
            all = b->below;
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
    mutex_type lock_;
    block* idle_ = nullptr; ///< under the lock, as all up to counts_
    bool orphaned_ = false;
    std::size_t retain_;
    buffer_counts counts_;
    const bool protect_idle_; ///< idle memory is inaccessible, where nobody else tells of misuse
};

} // namespace linn::inline LINN_ABI::detail

#endif
