// SPDX-License-Identifier: Apache-2.0
#include "timeline_recorder.hpp"

#include <utility>

namespace linn::tool {

void timeline_recorder::close_step() {
    line_.events.push_back(events_);
    line_.live_blocks.push_back(most_blocks_);
    line_.live_bytes.push_back(most_bytes_);
    events_ = 0;
    most_blocks_ = blocks_now_;
    most_bytes_ = bytes_now_;
}

// Each two steps become one; a last one without a neighbour goes on being written.
void timeline_recorder::halve() {
    const std::size_t pairs = line_.events.size() / 2;
    if (line_.events.size() % 2 != 0) {
        events_ += line_.events.back();
        most_blocks_ = std::max(most_blocks_, line_.live_blocks.back());
        most_bytes_ = std::max(most_bytes_, line_.live_bytes.back());
    }
    for (std::size_t i = 0; i != pairs; ++i) {
        line_.events[i] = line_.events[2 * i] + line_.events[2 * i + 1];
        line_.live_blocks[i] = std::max(line_.live_blocks[2 * i], line_.live_blocks[2 * i + 1]);
        line_.live_bytes[i] = std::max(line_.live_bytes[2 * i], line_.live_bytes[2 * i + 1]);
    }
    line_.events.resize(pairs);
    line_.live_blocks.resize(pairs);
    line_.live_bytes.resize(pairs);
    line_.step_ns *= 2;
    step_end_ = (pairs + 1) * line_.step_ns;
}

void timeline_recorder::advance(std::uint64_t time) {
    // A damaged trace may have any time. Behind the last one that has a step behind it, no step would ever end.
    constexpr std::uint64_t latest = ~std::uint64_t{0} / 2;
    time = std::min(time, latest);
    // First the width, so that a long silence is not written step by step.
    while (time / line_.step_ns >= most_steps) {
        halve();
    }
    while (time >= step_end_) {
        close_step();
        step_end_ += line_.step_ns;
    }
}

timeline timeline_recorder::finish() {
    if (events_ != 0 || !line_.events.empty()) {
        close_step();
    }
    return std::move(line_);
}

} // namespace linn::tool
