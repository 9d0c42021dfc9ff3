// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace_analysis.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// The blocks that one thread got last, to tell which releases come at once. Not thread-safe.
class recent_blocks {
public:
    explicit recent_blocks(temporary_rule rule = {})
        : ring_(rule.allocations_between ? *rule.allocations_between + std::size_t{1} : 1),
          is_next_call_{!rule.allocations_between} {}

    /// The thread got a block.
    void allocated(std::uint64_t address) noexcept {
        ring_[next_] = address;
        next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
    }

    /// The thread released a block: whether it is a temporary one, if it is this thread's. @complexity linear in the rule's
    /// number
    bool released(std::uint64_t address) noexcept {
        const auto found = std::find(ring_.begin(), ring_.end(), address);
        const bool is_recent = found != ring_.end();
        if (is_next_call_) {
            ring_.front() = 0;
        } else if (is_recent) {
            *found = 0;
        }
        return is_recent;
    }

    /// The thread gave a block another size, which is no allocation; what lives on was not short-lived.
    void resized(std::uint64_t old_address) noexcept { released(old_address); }

private:
    std::vector<std::uint64_t> ring_; // 0: released
    std::size_t next_ = 0;
    bool is_next_call_;
};

} // namespace linn::tool
