// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// A smaller difference than this is never called one, however quiet the two copies of the baseline happened to be.
inline constexpr double least_claim = 0.02;

/// The gap that a difference must exceed to be claimed in this phase.
double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase);

/// One sentence on how Linn fared against the best other contender, win or lose, claiming nothing below the noise
/// floor or within two standard errors of the medians.
std::string summarise(const bench_result& result);

} // namespace linn::tool
