// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_TURN_COUNT_HPP
#define LINN_DETAIL_CORE_TURN_COUNT_HPP

#include <linn/config.hpp>

#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// How often a thread's cache was emptied and filled in turns: such a cache has too few places. One that only takes, or only
/// gives, as the two ends of a pipeline do, would gain nothing by more of them.
class turn_count {
public:
    /// The cache was empty.
    void note_taken() noexcept { turns_ = static_cast<std::uint8_t>(turns_ + (turns_ & 1U)); }
    /// The cache was full.
    void note_given() noexcept {
        turns_ = turns_ < turns_that_show ? static_cast<std::uint8_t>(turns_ | 1U) : turns_;
    }
    /// Whether it happened often enough to be how the program works.
    [[nodiscard]] bool alternates() const noexcept { return turns_ >= turns_that_show; }

private:
    static constexpr std::uint8_t turns_that_show = 16;

    /// Visits of the depot that gave after one that took, or the reverse; odd: the last one gave.
    std::uint8_t turns_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
