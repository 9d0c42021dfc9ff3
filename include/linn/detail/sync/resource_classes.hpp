// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_CLASSES_HPP
#define LINN_DETAIL_SYNC_RESOURCE_CLASSES_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/thread_exit.hpp>
#include <linn/types/pool_statistics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

// What a resource has for each size class: a depot, and in each thread a front.

namespace linn::inline LINN_ABI::detail {

/// Pages for a set of slabs that are brought to it: it maps none by itself.
template <page_source Pages>
struct brought_pages : Pages {
    static constexpr bool zeroed = false;
    static void* map(std::size_t, std::size_t) noexcept { return nullptr; }
};

/// What all threads share of one size class of one resource: the slabs and one
/// lock. Slabs are brought to it and taken away again: it never asks for memory.
///
/// Invariant, at quiescence: slots out of the slabs == live + in fronts + lost,
/// where `lost` are slots that threads held which a fork left behind in its child.
template <class Policy>
class class_depot {
public:
    using mutex_type = typename Policy::mutex;
    using slabs_type = slab_set<brought_pages<typename Policy::pages>>;

    /// @param owner takes `lock()` at a fork
    class_depot(fork_stopper& owner, const geometry& g) noexcept : lock_{owner}, slabs_{g, this} {}

    /// A slot: out of `f`, which has an array and is empty, once it is loaded; just one where `f` is null. Null when a slab must be
    /// brought first.
    void* take(magazine_cache* f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        void* slot = nullptr;
        if (f != nullptr) {
            slot = slabs_.load(*f);
        } else {
            slabs_.fill(&slot, 1);
        }
        return slot;
    }

    /// Takes `count` objects back. @returns whether the caller should return the memory that `slab_set::take_cold` finds
    bool give(void* const* objects, std::size_t count, refusals& refused) noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        slabs_.give(objects, count, refused);
        return slabs_.has_excess();
    }

    /// Likewise the `n` slots of `f` that came first. One lock for both: a child of a fork finds a slot in the cache or in its slab.
    bool flush(magazine_cache& f, std::size_t n, refusals& refused) noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        slabs_.give(f.entries(), n, refused);
        f.drop_oldest(n);
        return slabs_.has_excess();
    }

    // -- slabs ---------------------------------------------------------------------------------------

    /// @pre the lock is held, or no other thread uses the depot
    slabs_type& slabs() noexcept { return slabs_; }
    [[nodiscard]] const geometry& sizes() const noexcept { return slabs_.sizes(); }

    /// What `f(slabs)` returns, which is called with the lock held.
    template <class F>
    auto locked(F&& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return f(slabs_);
    }

    // -- the rest -------------------------------------------------------------------------------------

    /// All but what only the resource knows. @param in_fronts slots that threads cache
    [[nodiscard]] pool_statistics statistics(std::size_t in_fronts) noexcept {
        lock_guard<mutex_type> guard{lock_};
        pool_statistics s;
        s.object_bytes = s.slot_bytes = slabs_.sizes().slot_bytes;
        s.cached = in_fronts;
        const std::size_t not_live = s.cached + lost_;
        s.live = slabs_.out() > not_live ? slabs_.out() - not_live : 0;
        slabs_.add_to(s);
        s.depot_visits = visits_;
        s.contended = contended_;
        return s;
    }

    // -- fork ------------------------------------------------------------------------------------------

    mutex_type& lock() noexcept { return lock_; }
    /// In the child of a fork, with the lock held.
    void lose(std::size_t count) noexcept { lost_ += count; }

private:
    void note_visit(bool waited) noexcept {
        ++visits_;
        contended_ += waited ? 1 : 0;
    }

    mutex_type lock_;
    slabs_type slabs_;
    std::size_t lost_ = 0;
    std::size_t visits_ = 0;
    std::size_t contended_ = 0;
};

/// How many slots a front of class `c` has room for: 16 KiB worth, for the reason that `make_geometry` gives, and enough larger
/// ones to make visits of the depot rare.
inline constexpr std::size_t most_resource_front_slots = 512;
constexpr std::size_t resource_front_slots(unsigned c) noexcept {
    constexpr std::size_t kib = 1024;
    const std::size_t few = clamp(128 * kib / class_bytes(c), 2, 128);
    return clamp(16 * kib / class_bytes(c), few, most_resource_front_slots);
}

/// The caches that threads have of one resource: for each thread number a block of fronts, one a size class.
///
/// Only the thread that has the number makes its block and touches what is in it. A block stays: the next thread of that number
/// inherits it. Others only count.
template <class Policy>
class resource_fronts {
public:
    using table = thread_index_table<Policy>;

    struct alignas(cache_line_bytes) block {
        magazine_cache fronts[size_class_count];
    };
    using place_type = typename Policy::template atomic<block*>;

    resource_fronts() noexcept { forget_all(); }

    /// `no_block_`, in which no front has room or anything to give, when this thread has none yet, or may have none: the number
    /// of a thread means something only in the module whose table it is from. Zero, for a thread that has not asked for its
    /// number, and the last, for one that cannot have one, are places that keep it. The same for all threads while this is closed.
    [[LINN_DETAIL_ALWAYS_INLINE]] block& here() noexcept {
        // relaxed: only compared
        if (open_for_.load(std::memory_order_relaxed) != &table::process()) [[LINN_DETAIL_UNLIKELY]] {
            return no_block_;
        }
        // relaxed: written by a thread of this number, which is this one or was over before it began
        return *(blocks_ + shown_thread_index<Policy>())->load(std::memory_order_relaxed);
    }

    /// Whether `b` is the block of a thread, and not `no_block_`.
    [[nodiscard]] bool is_made(const block* b) const noexcept { return b != &no_block_; }

    /// Where this thread's block belongs, and `no_block_` is until it is made; null when it can have none.
    place_type* place() noexcept {
        if (home_ != &table::process()) {
            return nullptr;
        }
        const std::uint32_t index = thread_index<Policy>();
        return index < table::most ? &blocks_[index + 1] : nullptr;
    }

    /// Calls `f(block&)` for the block of the calling thread, and for those that threads left which are over.
    template <class F>
    void for_each_at_rest(F&& f) noexcept {
        f(here());
        table& numbers = table::process();
        for (std::uint32_t i = 0; home_ == &numbers && i != table::most; ++i) {
            // relaxed: to take the number is ordered after all that its thread did
            block* b = blocks_[i + 1].load(std::memory_order_relaxed);
            if (is_made(b) && numbers.take_free(i)) {
                f(*b);
                numbers.give_back(i);
            }
        }
    }

    struct counts {
        std::size_t slot_count = 0;
        std::size_t threads = 0;
    };
    /// What all threads cache of class `c`, and how many do: approximate while they work.
    [[nodiscard]] counts count(unsigned c) const noexcept {
        counts n;
        for (const auto& place : blocks_) {
            // relaxed: of the block only what its owner may be writing is read, by racy_read
            if (const block* b = place.load(std::memory_order_relaxed);
                b->fronts[c].shown_entries() != nullptr) {
                n.slot_count += b->fronts[c].shown_count(resource_front_slots(c));
                ++n.threads;
            }
        }
        return n;
    }

    /// A thread may use its block once forks know of the resource, and no sooner: the next fork has to take the blocks of other
    /// threads away. So this is closed at first, and again in the child of a fork.
    [[nodiscard]] bool is_open() const noexcept {
        return open_for_.load(std::memory_order_relaxed) != nullptr;
    }
    void open() noexcept { set_flag(open_for_, home_); }

    /// @pre no thread uses the resource
    void forget_all() noexcept {
        set_flag(open_for_, static_cast<const table*>(nullptr));
        for (auto& place : blocks_) {
            place.store(&no_block_, std::memory_order_relaxed);
        }
    }

    /// In the child of a fork: the caches of other threads are written off, since each may have been in the middle of a
    /// change. Calls `lose(class, slots)` for each, and closes.
    template <class Lose>
    void forget_other_threads(Lose&& lose) noexcept {
        set_flag(open_for_, static_cast<const table*>(nullptr));
        const bool our_table = home_ == &table::process(); // otherwise it may be gone
        for (std::uint32_t i = 0; i < table::most + 2; ++i) {
            block* b = blocks_[i].load(std::memory_order_relaxed);
            if (our_table && home_->is_mine(i - 1)) {
                continue;
            }
            for (unsigned c = 0; c < size_class_count; ++c) {
                lose(c, b->fronts[c].shown_count(resource_front_slots(c)));
            }
            blocks_[i].store(&no_block_, std::memory_order_relaxed);
        }
    }

private:
    typename Policy::template atomic<const table*> open_for_{nullptr}; ///< `home_`, or null
    const table* const home_ = &table::process();
    place_type blocks_[table::most + 2];
    /// All zero, and never written to. In the resource, because a resource can outlive the module that made it.
    block no_block_{};
};

} // namespace linn::inline LINN_ABI::detail

#endif
