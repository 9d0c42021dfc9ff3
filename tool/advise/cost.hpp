// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"
#include "../measure/quantity.hpp"
#include "../trace/program_cost.hpp"
#include "advice.hpp"

namespace linn::tool {

/// The share of the run that writing zeros takes: from 40 GB a second to what was measured, with the page faults that another
/// write would take instead; from 40 to 4 GB a second where nothing was.
gain_range estimated_fill_cost(const site_statistics& s, double program_cpu_ns);

/// "2.1 %", "18 %", "less than 0.1 %".
std::string share_text(double share);
/// "at most 2.1 %", "less than 0.1 %".
std::string at_most_text(double share);
/// "9 to 12 %".
std::string gain_text(const gain_range& gain);

} // namespace linn::tool
