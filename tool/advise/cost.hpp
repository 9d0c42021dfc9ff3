// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"
#include "../measure/quantity.hpp"
#include "../replay/results.hpp"
#include "../trace/program_cost.hpp"
#include "advice.hpp"

namespace linn::tool {

/// What a replay shows is between 50 and 115 % of what the program itself would gain; the range of what it would.
/// @source docs/guide/advise.md, "How far to trust it"
gain_range widened(double saving_low, double saving_high);

/// The share of the run that writing zeros takes: from 40 GB a second to what was measured, with the page faults that another
/// write would take instead; from 40 to 4 GB a second where nothing was.
gain_range estimated_fill_cost(const site_statistics& s, double program_cpu_ns);

/// What a row of a replay saves against the default, as shares of the run. All 0 where that is not known.
gain_range replayed_gain(const replay_row& row);

/// What an allocator that costs nothing would save, from its row of a replay: its saving, less an eighth to more by a third.
gain_range replayed_ceiling(const replay_row& nothing);

/// "2.1 %", "18 %", "less than 0.1 %".
std::string share_text(double share);
/// "at most 2.1 %", "less than 0.1 %".
std::string at_most_text(double share);
/// "9 to 12 %".
std::string gain_text(const gain_range& gain);
/// "saves 11.9 % (11.2 to 12.6)", "cost 0.3 % (-0.4 to 1.0)".
std::string measured_text(figures::subject who, const measured_gain& gain);

} // namespace linn::tool
