// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/call_times.hpp"
#include "../trace/ring.hpp"
#include "child_program.hpp"

#include <filesystem>
#include <span>

namespace linn::tool {

/// What recording an event took, by the clock inside of the hooks.
struct clocked_cost {
    std::uint64_t samples = 0;
    double ticks = 0; ///< the mean
};
clocked_cost clocked(const wire::ring_header& header);

/// What recording an event of a small program costs on this machine.
struct calibrated_cost {
    double ns = 0; ///< by the program's CPU time; 0: it was not measured
    clocked_cost by_clock;

    /// What the clock in the hooks does not see: calls through two tables, and what the recorder displaces from the caches.
    /// Of a larger program it is more, so this is a lower bound.
    double unseen_ns(double ticks_per_ns) const;
};

/// A program that only allocates and releases is run with the recorder and without, in turn, and the fastest of each are
/// compared. About 0.1 s.
calibrated_cost calibrate_event_cost(const signal_desk& desk, const std::filesystem::path& library);

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
