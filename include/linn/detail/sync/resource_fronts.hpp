// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_FRONTS_HPP
#define LINN_DETAIL_SYNC_RESOURCE_FRONTS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/sync/class_depot.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/thread_index.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

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
        class_front fronts[size_class_count];
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
        return *blocks_[shown_thread_index<Policy>()].load(std::memory_order_relaxed);
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
