// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"
#include "results.hpp"

#include <string>

namespace linn::tool {

/// Fills in medians, ratios, changes, the noise floor and the calls from the rows' `seconds`, of which each has one a
/// round, in the order of rounds. Does nothing for rows that failed. With fewer than `rounds_to_judge` rounds bounds are
/// not known, and nothing is judged.
void estimate_replay(replay_result& result);

/// What the recorded program would have taken without the recording, in seconds of CPU time; 0: not known. `replayed` is
/// the share of its events that is replayed, which the answer is scaled by.
double program_cpu_seconds(const trace_info& info, double replayed);

/// What a reader of the figures must know as well.
struct replay_circumstances {
    const trace_info* info = nullptr;
    bool is_cut = false;
    double replayed_share = 1; ///< of the process image's events
    double process_share = 1;  ///< of the trace's events that the image has
    std::uint64_t reused_addresses = 0;
};

/// The sentence that comes first in every form of the report. @pre the result is estimated, or has a problem
std::string verdict_of(const replay_result& result);

/// Fills in the verdict, the remarks and the warnings of a result that is estimated.
void remark_on_replay(replay_result& result, const replay_circumstances& circumstances);

} // namespace linn::tool
