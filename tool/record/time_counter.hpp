// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/call_times.hpp"

#include <span>

namespace linn::tool {

/// The counter and the clock, read at the same moment on one processor.
struct counter_reading {
    double ns = 0;
    double ticks = 0;
    double width_ns = 0; ///< the moment is known so well
};

/// Whether readings that were made one after the other, on one processor after the other, are those of one counter.
counter_state judge_counter(bool is_constant, double ticks_per_ns, std::span<const counter_reading> readings);

/// Whether the time stamp counter of this machine can be used for times: it must run at a constant rate, and be the same on all
/// processors that this process may use. Takes less than a millisecond a processor.
counter_state check_counter(double ticks_per_ns);

} // namespace linn::tool
