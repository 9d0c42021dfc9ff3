// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// A smaller difference than this is never called one, however quiet the two copies of the baseline happened to be.
inline constexpr double least_claim = 0.02;

/// Fills in what the samples say: medians with their 95 % intervals, ratios, noise, cliffs, and who wins. The only place
/// that computes any of it: sentences, tables, plots and files show what stands there. With fewer than `rounds_to_judge`
/// rounds there is no interval, no win and no loss.
void judge(bench_result& result);

/// "win", "loss", "tie", "not judged".
const char* to_string(outcome o) noexcept;

/// "differences smaller than max(noise floor, 2 %, 2 standard errors) count as ties".
std::string tie_rule();

/// Why nothing of the result is judged, as a sentence; empty where something can be. @pre something was measured
std::string why_not_judged(const bench_result& result);
/// Likewise for a result of `rounds` rounds.
std::string why_not_judged(const bench_result& result, std::size_t rounds);

/// "6.1 x", or "6.13 x" with two digits; from ten on "58 x", and "over 1000 x", where digits say nothing.
std::string times_text(double factor, int digits = 1);
/// The same without the unit.
std::string times_number(double factor, int digits = 1);

/// A size whose cost is more than this many times that of the size before it is a cliff.
inline constexpr double cliff_factor = 3;

/// Those on the curve of so many threads.
std::vector<cliff> cliffs_on(const scenario& s, const row& r, unsigned threads);

/// The findings on scenarios that Linn wins and on those that it loses. Nothing is claimed that `judge` does not. @pre `judge` has run
bench_findings findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; otherwise empty.
std::string disturbance(const bench_result& result);

/// Nothing where the scenario `headline` was not measured. Nothing within the noise is claimed, and nothing at all from fewer
/// than `rounds_to_judge` rounds. @pre `judge` has run
std::optional<headline_result> headline(const bench_result& result);

} // namespace linn::tool
