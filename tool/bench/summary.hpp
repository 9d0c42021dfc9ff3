// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// A smaller difference than this is never called one, however quiet the two copies of the baseline happened to be.
inline constexpr double least_claim = 0.02;

/// The gap that a difference must exceed to be claimed in this phase.
double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase);

/// One sentence on how Linn fared against the best other contender in the scenarios without variants, win or lose,
/// claiming nothing below the noise floor or within two standard errors of the medians.
std::string summarise(const bench_result& result);

/// What a reader should take away, a paragraph each: the sentence above, then one on each scenario with variants.
std::vector<std::string> findings(const bench_result& result);

} // namespace linn::tool
