// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// A smaller difference than this is never called one, however quiet the two copies of the baseline happened to be.
inline constexpr double least_claim = 0.02;

/// The gap that a difference must exceed to be claimed in this phase.
double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase);

/// What a comparison of medians allows to say; nothing with fewer than `rounds_to_judge` rounds.
enum class outcome { not_judged, win, loss, tie };

/// The only place that says who wins: headline, summary, findings, plots and JSON all ask it.
outcome judge(const bench_result& result, const scenario_result& s, std::size_t phase, const comparison& c);

/// "win", "loss", "tie", "not judged".
const char* to_string(outcome o) noexcept;

/// Why nothing of the result is judged, as a sentence; empty where something can be. @pre something was measured
std::string why_not_judged(const bench_result& result);

/// The best of Linn's ways that are compared with the same rivals, in one phase.
struct best_way {
    const row* ours = nullptr;
    comparison against;
};

/// The best of Linn's ways among the scenario's comparisons that have the rivals of `first`; nothing where none has
/// that phase.
std::optional<best_way> best_of_linn(const bench_result& result, const scenario_result& s,
                                     const comparison_info& first, std::size_t phase);

/// "6.1 x", or "6.13 x" with two digits; from ten on "58 x", and "over 1000 x", where digits say nothing.
std::string times_text(double factor, int digits = 1);

} // namespace linn::tool
