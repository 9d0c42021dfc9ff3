// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_MEETING_COUNT_HPP
#define LINN_DETAIL_CORE_MEETING_COUNT_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Whether threads meet at a depot all the time: two that make and drop bursts of objects, each burst larger than what a
/// thread caches. Each exchange then moves objects from one core to another, which costs more than the exchange; threads
/// that cache a burst never come here. A thread that only takes, or only gives, must come, and does not count.
///
/// The depot's lock guards it.
class meeting_count {
public:
    /// A visit of `visitor`, which is only compared. @param alternates whether it takes and gives in turns
    /// @returns true each time that many meetings took no longer than a tick of the coarse clock
    template <class Clock>
    bool note(const void* visitor, bool alternates) noexcept {
        const bool meets = alternates && visitor != last_;
        last_ = visitor;
        if (!meets || ++count_ != many) {
            return false;
        }
        count_ = 0;
        const std::uint64_t now_ms = Clock::now_ms();
        const bool fast = now_ms - since_ms_ <= tick_ms;
        since_ms_ = now_ms;
        return fast;
    }

private:
    static constexpr std::size_t many = 256;
    static constexpr std::uint64_t tick_ms = 4;

    const void* last_ = nullptr;
    std::size_t count_ = 0; ///< since `since_ms_`
    std::uint64_t since_ms_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
