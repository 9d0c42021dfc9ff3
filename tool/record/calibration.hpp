// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/ring.hpp"
#include "child_program.hpp"

#include <filesystem>

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

} // namespace linn::tool
