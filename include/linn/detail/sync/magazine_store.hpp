// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MAGAZINE_STORE_HPP
#define LINN_DETAIL_SYNC_MAGAZINE_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/magazine_shelves.hpp>
#include <linn/detail/core/stash_bound.hpp>
#include <linn/detail/sync/metadata_arena.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// The magazines of one pool that no thread holds: the stash of full ones, the empty ones, and how large
/// a magazine is by now. The depot's lock guards it.
template <class Policy>
class magazine_store {
public:
    magazine_store(const geometry& sizes, metadata_arena<Policy>& arena) noexcept
        : arena_{arena},
          bound_{sizes.stash_slots, sizes.slot_bytes},
          capacity_{sizes.magazine_slots},
          capacity_max_{sizes.magazine_slots_max},
          capacity_met_{sizes.magazine_slots_met} {}

    /// A full magazine, or null. @param shelf of the thread
    magazine* take_full(std::size_t shelf) noexcept {
        magazine* m = taken(stash_.pop(shelf));
        bound_.note_taken(stashed_);
        return m;
    }

    /// @pre has_room_for(*m)
    void put_full(magazine* m, std::size_t shelf) noexcept {
        stashed_ += m->count;
        stash_.push(m, shelf);
    }

    [[nodiscard]] bool has_room_for(const magazine& m) const noexcept {
        return bound_.has_room(stashed_, m.count);
    }

    /// A magazine that lay longest in a stash that is larger than it should be by now; else null.
    template <class Clock>
    magazine* take_excess() noexcept {
        return bound_.template has_excess<Clock>(stashed_) ? taken(stash_.pop_oldest()) : nullptr;
    }

    [[nodiscard]] stash_bound& bound() noexcept { return bound_; }

    /// One object from the stash, or null.
    void* take_object() noexcept {
        magazine* m = take_full(0);
        if (m == nullptr) {
            return nullptr;
        }
        void* object = m->entries()[--m->count];
        if (m->count == 0) {
            put_empty(m);
        } else {
            put_full(m, 0);
        }
        return object;
    }

    /// An empty magazine of the present capacity, or null when there is no memory for one.
    magazine* take_empty() noexcept {
        while (magazine* m = empties_.pop()) {
            if (m->capacity == capacity_) {
                return m;
            }
            recycle(m); // from before the last growth
        }
        void* memory = arena_.allocate(magazine::bytes_for(capacity_));
        if (memory == nullptr) {
            return nullptr;
        }
        auto* m = ::new (memory) magazine;
        m->capacity = capacity_;
        return m;
    }

    void put_empty(magazine* m) noexcept { empties_.push(m); }

    /// `m`, or a larger magazine in its place when `m` is empty and magazines have grown since.
    magazine* upgraded(magazine* m) noexcept {
        if (m->count == 0 && m->capacity < capacity_) {
            if (magazine* larger = take_empty(); larger != nullptr) {
                recycle(m);
                return larger;
            }
        }
        return m;
    }

    /// Notes that a thread came to exchange a magazine, and lets magazines grow when that pays. Larger
    /// ones mean rarer visits. They grow when threads wait for each other here, and when the traffic shows that the
    /// program goes back and forth over more than its threads cache: when several times all objects that
    /// were ever out have passed. A pool that is only filled keeps small ones.
    ///
    /// Beyond that they grow where threads meet all the time: then each exchange also moves objects from
    /// one core to another, which costs more than the exchange.
    /// @param threads_meet what meeting_count says of this visit
    void note_visit(bool waited, bool threads_meet, std::size_t peak) noexcept {
        waits_ += waited ? 1 : 0;
        traffic_ += capacity_;
        const bool much =
            waits_ >= waits_to_grow || traffic_ >= turns_to_grow * (peak + 8 * capacity_) || threads_meet;
        if (!much) {
            return;
        }
        waits_ = 0;
        traffic_ = 0;
        if (const std::size_t most = threads_meet ? capacity_met_ : capacity_max_; capacity_ < most) {
            capacity_ = clamp(capacity_ * 2, 1, most);
        }
    }

    [[nodiscard]] const magazine_shelves& stash() const noexcept { return stash_; }
    /// Objects in the stash.
    [[nodiscard]] std::size_t stashed() const noexcept { return stashed_; }
    /// Objects that a magazine holds by now.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    static constexpr std::size_t waits_to_grow = 16;
    static constexpr std::size_t turns_to_grow = 8;

    magazine* taken(magazine* m) noexcept {
        stashed_ -= m != nullptr ? m->count : 0;
        return m;
    }

    void recycle(magazine* m) noexcept { arena_.recycle(m, magazine::bytes_for(m->capacity)); }

    metadata_arena<Policy>& arena_;
    magazine_shelves stash_; ///< full magazines
    magazine_stack empties_; ///< magazines without objects, waiting for use
    std::size_t stashed_ = 0;
    stash_bound bound_;
    std::size_t capacity_;
    std::size_t capacity_max_;
    std::size_t capacity_met_;
    std::size_t waits_ = 0;   ///< visits since the last growth that had to wait
    std::size_t traffic_ = 0; ///< objects moved since then, about
};

} // namespace linn::inline LINN_ABI::detail

#endif
