// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_STASH_BOUND_HPP
#define LINN_DETAIL_CORE_STASH_BOUND_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// How many free slots a depot keeps in its stash, out of the slabs. The depot's lock guards it.
///
/// A slot that goes through the stash costs a copied pointer; one that goes through its slab costs a cache miss and a search
/// of bitmaps. So the bound follows the program. It starts at `least`. It grows by each slot that had to go to a slab for
/// want of room and was asked for again: a program that goes back and forth over its objects pays for them once. What
/// lay in the stash untouched for a second leaves it again, and then its slabs can go back to the system.
///
/// A bound that starts at 0 stays there: then free slots are in the slabs, and come out of them in the order of their
/// addresses.
///
/// It has a price. The stash is an array of pointers, 8 bytes a slot: it takes no more than an eighth of what the objects
/// took at their peak, or 64 KiB. And slots come out of it in the order in which they went in, not in that of their addresses:
/// beyond 2 MiB of objects, which caches hold, the slabs are the faster way for a program that frees in random order.
///
/// @source the low-water mark is Bonwick's: Magazines and Vmem, USENIX 2001, section 3.7
class stash_bound {
public:
    constexpr stash_bound(std::size_t least, std::size_t slot_bytes) noexcept
        : least_{least},
          most_{least},
          slot_bytes_{slot_bytes} {}

    [[nodiscard]] bool has_room(std::size_t stashed, std::size_t more) const noexcept {
        return stashed + more <= most_;
    }

    /// `slots` went into slabs, because there was no room.
    void note_spilled(std::size_t slot_count) noexcept { spilled_ += slot_count; }

    /// `slots` came out of slabs, because the stash was empty. @param peak of slots out of slabs
    void note_missed(std::size_t slot_count, std::size_t peak) noexcept {
        low_ = 0;
        if (least_ == 0) {
            return;
        }
        const std::size_t again = slot_count < spilled_ ? slot_count : spilled_;
        spilled_ -= again;
        const std::size_t by_peak = clamp(peak * slot_bytes_ / (8 * sizeof(void*)), always, SIZE_MAX);
        const std::size_t by_cache = cached_bytes / slot_bytes_;
        const std::size_t share = by_peak < by_cache ? by_peak : by_cache;
        most_ = clamp(most_ + again, least_, share > most_ ? share : most_);
    }

    /// `stashed` slots are left after some were taken.
    void note_taken(std::size_t stashed) noexcept { low_ = stashed < low_ ? stashed : low_; }

    /// Whether the bound has grown, so that time matters.
    [[nodiscard]] bool grown() const noexcept { return most_ != least_; }

    /// Whether the stash holds too many slots now. Once in a second the bound shrinks by what was never touched in that
    /// second.
    template <class Clock>
    [[nodiscard]] bool has_excess(std::size_t stashed) noexcept {
        if (!grown()) {
            return false;
        }
        if (const std::uint64_t now_ms = Clock::now_ms(); now_ms - since_ms_ >= period_ms) {
            most_ = clamp(most_ - (low_ < most_ ? low_ : most_), least_, most_);
            low_ = stashed;
            since_ms_ = now_ms;
        }
        return stashed > most_;
    }

    /// As at the start: for an explicit trim.
    void reset() noexcept { *this = stash_bound{least_, slot_bytes_}; }

    [[nodiscard]] std::size_t most() const noexcept { return most_; }

private:
    static constexpr std::uint64_t period_ms = 1000;
    static constexpr std::size_t always = 8192; ///< slots, however small the pool
    static constexpr std::size_t cached_bytes = std::size_t{2} << 20;

    std::size_t least_;
    std::size_t most_;
    std::size_t slot_bytes_;
    std::size_t spilled_ = 0; ///< slots that went to slabs for want of room, and did not come back
    std::size_t low_ = 0;     ///< the fewest in the stash since `since_ms_`
    std::uint64_t since_ms_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
