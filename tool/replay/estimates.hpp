// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"
#include "results.hpp"

namespace linn::tool {

/// Fills in medians, ratios, changes and the noise floor from the rows' `seconds`, of which each has one a round, in the
/// order of rounds. Does nothing for rows that failed.
void estimate_replay(replay_result& result);

/// What the recorded program would have taken without the recording, in seconds of CPU time; 0: not known. `replayed` is
/// the share of its events that is replayed, which the answer is scaled by.
double program_cpu_seconds(const trace_info& info, double replayed);

/// What a reader of the figures must know beside them.
struct replay_circumstances {
    const trace_info* info = nullptr;
    bool is_cut = false;
    double replayed_share = 1; ///< of the process image's events
    double process_share = 1;  ///< of the trace's events that the image has
    std::uint64_t reused_addresses = 0;
};

/// Fills in the verdict, the remarks and the warnings of a result that is estimated.
void remark_on_replay(replay_result& result, const replay_circumstances& circumstances);

} // namespace linn::tool
