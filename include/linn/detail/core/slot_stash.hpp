// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_STASH_HPP
#define LINN_DETAIL_CORE_SLOT_STASH_HPP

#include <linn/config.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/stash_bound.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// The free slots that the depot of a size class keeps out of its slabs: last in, first out, moved many at a time, within a
/// stash_bound. The places for them are arrays of one size that the owner brings, and that are never given back. The
/// depot's lock guards it.
class slot_stash {
public:
    /// @param array_slots places of each array
    constexpr slot_stash(std::size_t array_slots, std::size_t slot_bytes) noexcept
        : array_slots_{array_slots},
          bound_{array_slots, slot_bytes} {}

    [[nodiscard]] std::size_t array_bytes() const noexcept { return magazine::bytes_for(array_slots_); }
    /// @param memory of array_bytes()
    void add_array(void* memory) noexcept {
        auto* m = ::new (memory) magazine;
        m->capacity = array_slots_;
        empties_.push(m);
        places_ += array_slots_;
    }
    /// Whether the bound allows for more places than there are.
    [[nodiscard]] bool wants_array() const noexcept { return places_ < bound_.most(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] stash_bound& bound() noexcept { return bound_; }

    /// Takes `n` slots in, all or none. @returns whether
    bool push(void* const* objects, std::size_t n) noexcept {
        if (!bound_.has_room(size_, n) || size_ + n > places_) {
            return false;
        }
        size_ += n;
        while (n != 0) {
            if (top_ == nullptr || top_->count == array_slots_) {
                if (top_ != nullptr) {
                    full_.push(top_);
                }
                top_ = empties_.pop();
            }
            const std::size_t some = clamp(n, 0, array_slots_ - top_->count);
            std::memcpy(top_->entries() + top_->count, objects, some * sizeof(void*));
            top_->count += some;
            objects += some;
            n -= some;
        }
        return true;
    }

    /// Takes up to `want` slots out. @returns how many
    std::size_t pop(void** to, std::size_t want) noexcept {
        const std::size_t n = clamp(want, 0, size_);
        size_ -= n;
        for (std::size_t left = n; left != 0;) {
            if (top_->count == 0) {
                empties_.push(top_);
                top_ = full_.pop();
            }
            const std::size_t some = clamp(left, 0, top_->count);
            top_->count -= some;
            left -= some;
            std::memcpy(to + left, top_->entries() + top_->count, some * sizeof(void*));
        }
        bound_.note_taken(size_);
        return n;
    }

    /// Hands the oldest array that is in excess to `give(slots, n)`; no more, so that no caller pays for all.
    template <class Clock, class Give>
    void shrink(Give&& give) noexcept {
        if (bound_.template has_excess<Clock>(size_)) {
            empty(full_.pop_oldest(), give);
        }
    }

    /// Hands all slots to `give(slots, n)`; the bound is as at the start.
    template <class Give>
    void clear(Give&& give) noexcept {
        while (magazine* m = full_.pop()) {
            empty(m, give);
        }
        empty(top_, give);
        top_ = nullptr;
        bound_.reset();
    }

private:
    template <class Give>
    void empty(magazine* m, Give&& give) noexcept {
        if (m != nullptr) {
            give(m->entries(), m->count);
            size_ -= m->count;
            m->count = 0;
            empties_.push(m);
        }
    }

    // size_ <= places_ == arrays in full_, top_ and empties_ x array_slots_. Each in full_ is full, each in empties_ empty.
    magazine_stack full_;
    magazine* top_ = nullptr; ///< partly filled
    magazine_stack empties_;
    std::size_t array_slots_;
    std::size_t places_ = 0;
    std::size_t size_ = 0;
    stash_bound bound_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
