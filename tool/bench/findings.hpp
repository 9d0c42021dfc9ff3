// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// The findings on scenarios that Linn wins and on those that it loses. Nothing is claimed that `judge` does not. @pre `judge` has run
bench_findings findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; otherwise empty.
std::string disturbance(const bench_result& result);

/// Nothing where the scenario `headline` was not measured. Nothing within the noise is claimed, and nothing at all from fewer
/// than `rounds_to_judge` rounds. @pre `judge` has run
std::optional<headline_result> headline(const bench_result& result);

/// How Linn stands in all programs of the group threads that were measured, on two threads: a place for each, the sum of their
/// times, and memory. Empty where fewer than two were measured, or too few rounds.
std::string threads_finding(const bench_result& result);

/// What a scenario over sizes shows, in whole sentences with a space before each: the fastest allocator of small blocks,
/// who has a cliff and where, and at which sizes each of Linn's ways is ahead, behind or too close to call.
std::string curve_findings(const bench_result& result, const scenario_result& s);

/// What one scenario with variants shows besides the comparisons, in whole sentences with a space before each; empty
/// where the rows for it were not measured.
std::string scenario_finding(const bench_result& result, const scenario_result& s);

} // namespace linn::tool
