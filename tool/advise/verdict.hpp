// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"
#include "advice.hpp"

#include <string>

namespace linn::tool {

/// The one place that decides: yes where pools would remove at least `threshold` by the lower end; no where allocation as a
/// whole takes less by its upper end, and no event is missing; otherwise it is not known. What a trace without its end
/// holds can only add to a yes. @pre `a.pools` is known
pool_answer judge(const advice& a, double threshold);

/// Writes the answer and the sentences that come first into the advice. Every form of the report and the exit status take
/// them from there. Where the answer is no, the types for which a pool was advised are advised none, by the rule `no-gain`:
/// no row contradicts the sentence. @pre the types are decided, and by time in the allocator
void take_verdict(advice& a);

/// The share of the program's CPU time that writing the type's zeros took, as it was measured. 0: not known.
double fill_share(const site_statistics& s, const trace_info& info);

/// "2.1 %", "18 %", "less than 0.1 %".
std::string share_text(double share);

/// "at most 2.1 %", "less than 0.1 %".
std::string at_most_text(double share);

/// "9 to 12 %".
std::string range_text(double low, double high);

} // namespace linn::tool
