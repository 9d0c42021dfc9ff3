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
        : ring_(rule.allocations_between ? *rule.allocations_between + std::size_t{1} : 0) {}

    /// The thread got a block.
    void allocated(std::uint64_t address) noexcept {
        last_ = address;
        if (!ring_.empty()) {
            ring_[next_] = address;
            next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
        }
    }

    /// The thread released a block: whether it is a temporary one, if it is this thread's. @complexity linear in the rule's
    /// number
    bool released(std::uint64_t address) noexcept {
        const bool is_last = last_ == address;
        last_ = 0;
        if (ring_.empty()) {
            return is_last;
        }
        const auto found = std::find(ring_.begin(), ring_.end(), address);
        if (found == ring_.end()) {
            return false;
        }
        *found = 0;
        return true;
    }

    /// The thread gave a block another size, which is no allocation; what lives on was not short-lived.
    void resized(std::uint64_t old_address) noexcept { released(old_address); }

private:
    std::uint64_t last_ = 0;          // that the thread's last call got; 0: it was no allocation
    std::vector<std::uint64_t> ring_; // empty where only the next call counts; 0: released
    std::size_t next_ = 0;
};

} // namespace linn::tool
