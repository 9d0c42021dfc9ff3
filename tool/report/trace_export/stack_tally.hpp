// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../analysis/live_map.hpp"
#include "../../analysis/recent_blocks.hpp"
#include "../../analysis/timeline_recorder.hpp"
#include "../../profile/block_filter.hpp"
#include "../../trace/event.hpp"
#include "../../trace/sample_weight.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace linn::tool {

/// What one stack allocated.
struct stack_totals {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t live = 0; ///< blocks at the end
    std::uint64_t live_bytes = 0;
    std::uint64_t most_live = 0; ///< blocks when this stack had the most bytes live
    std::uint64_t most_live_bytes = 0;
    std::uint64_t live_at_peak = 0; ///< blocks when all stacks together had the most bytes live
    std::uint64_t live_bytes_at_peak = 0;
    std::uint64_t temporary = 0; ///< blocks that their thread released at once: temporary_rule; of a sample 0
    std::uint64_t temporary_bytes = 0;
    std::uint64_t lifetimes_ns = 0; ///< summed; of what was never released, up to the end

    /// Those that the filter lets through.
    block_counts of(block_filter filter) const noexcept {
        switch (filter) {
        case block_filter::all:
            break;
        case block_filter::peak:
            return {live_at_peak, live_bytes_at_peak};
        case block_filter::temporary:
            return {temporary, temporary_bytes};
        case block_filter::leaks:
            return {live, live_bytes};
        }
        return {allocations, bytes};
    }
};

/// Adds up what each stack allocated, in one pass over the events in the order of time. A realloc ends one block and
/// begins another. A block that is given out although it is live was released by a thread whose clock was behind: the
/// next release of that address by another thread than the new owner's is taken for the old one's.
class stack_tally {
public:
    /// Of a sample, a block counts as many times as its weight says.
    explicit stack_tally(sample_weight weight = {}, temporary_rule rule = {})
        : weight_{weight},
          rule_{rule} {}

    void take(std::span<const event> events);

    /// Ends the blocks that are still live. @pre called once, after the last event; `end` is its time or later
    void finish(std::uint64_t end);

    /// Counts what is live of a stack at the end as none. @pre finish()
    void leave_out_live(std::uint32_t stack) noexcept { totals_[stack].live = totals_[stack].live_bytes = 0; }

    /// One for each of `trace_info::stacks`; may be shorter.
    const std::vector<stack_totals>& stacks() const noexcept { return totals_; }

    std::uint64_t peak_time() const noexcept { return peak_time_; } ///< nanoseconds since the beginning
    std::uint64_t peak_bytes() const noexcept { return peak_bytes_; }
    /// Live blocks and bytes. @pre finish()
    const timeline& over_time() const noexcept { return over_time_; }

private:
    using block_key = std::pair<std::uint32_t, std::uint64_t>; // process, address

    struct peak_mark {
        std::uint64_t number = 0; ///< of the peak that live_at_peak was taken for
    };

    live_map& blocks_of(std::uint32_t process);
    recent_blocks& recent_of(std::uint32_t thread);
    void release(const event& e);
    void begin(const event& e, std::uint64_t address);
    void end(const event& e, std::uint64_t address);
    void forget(const live_block& b, std::uint64_t time);
    stack_totals& totals(std::uint32_t stack);
    std::uint64_t weight_of(const live_block& b) const noexcept {
        return weight_.whole(b.bytes, b.address, b.time);
    }
    void note_before_change(std::uint32_t stack);

    sample_weight weight_;
    temporary_rule rule_;
    std::vector<recent_blocks> recent_; // one for each thread
    std::vector<live_map> blocks_;      // one for each process
    std::vector<stack_totals> totals_;
    std::vector<peak_mark> marks_; // one for each of totals_
    std::map<block_key, std::uint32_t>
        pending_; // releases that came, or will come, late: the new owner's thread
    timeline_recorder recorder_;
    timeline over_time_;
    std::uint64_t live_ = 0;
    std::uint64_t live_bytes_ = 0;
    std::uint64_t peak_bytes_ = 0;
    std::uint64_t peak_time_ = 0;
    std::uint64_t peaks_ = 0;
};

} // namespace linn::tool
