// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace_analysis.hpp"

#include <algorithm>

namespace linn::tool {

/// Writes a timeline in bounded memory: when the steps run out, each two become one.
class timeline_recorder {
public:
    static constexpr std::size_t most_steps = 1000;

    /// One event, and what is live after it. Times that go back count for the step that is being written.
    void take(std::uint64_t time, std::uint64_t live_blocks, std::uint64_t live_bytes) {
        if (time >= step_end_) {
            advance(time);
        }
        ++events_;
        blocks_now_ = live_blocks;
        bytes_now_ = live_bytes;
        most_blocks_ = std::max(most_blocks_, live_blocks);
        most_bytes_ = std::max(most_bytes_, live_bytes);
    }

    /// The whole timeline, up to the last event. @pre called once
    timeline finish();

private:
    void advance(std::uint64_t time);
    void close_step();
    void halve();

    timeline line_{.step_ns = 1024, .live_bytes = {}, .live_blocks = {}, .events = {}};
    std::uint64_t step_end_ = 1024;
    std::uint64_t events_ = 0;
    std::uint64_t most_blocks_ = 0;
    std::uint64_t most_bytes_ = 0;
    std::uint64_t blocks_now_ = 0;
    std::uint64_t bytes_now_ = 0;
};

} // namespace linn::tool
