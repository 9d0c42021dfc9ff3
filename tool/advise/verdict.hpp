// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

namespace linn::tool {

/// The one place that decides: yes where pools would remove at least `threshold` by the lower end; no where allocation as a
/// whole takes less by its upper end, and no event is missing; otherwise it is not known. What a trace without its end
/// holds can only add to a yes. @pre `a.pools` is known
pool_answer judge(const advice& a, double threshold);

/// Writes the answer and the sentences that come first into the advice. Every form of the report and the exit status take
/// them from there. Where the answer is no, the types for which a pool was advised are advised none, by the rule `no-gain`:
/// no row contradicts the sentence. @pre the types are decided, and by time in the allocator
void take_verdict(advice& a);

} // namespace linn::tool
