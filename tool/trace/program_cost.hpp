// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "info.hpp"

namespace linn::tool {

/// The CPU time of the recorded program without the recording, and how well it is known.
struct program_cost {
    enum class source { baseline, less_recording, wall_time, unknown };

    double cpu_ns = 0; ///< 0: not known
    source from = source::unknown;
    bool is_guess = false; ///< the recording took more than nine tenths of the recorded time, by estimate
};

/// From a run without recording where there was one; else the recorded CPU time less what its events cost; else, where
/// the recording was cut off, the time it lasted.
program_cost cost_of_program(const trace_info& info);

} // namespace linn::tool
