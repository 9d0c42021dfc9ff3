// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judgement.hpp"
#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// One sentence on how Linn fared against the best other contender in the scenarios without variants, win or lose,
/// claiming nothing below the noise floor or within two standard errors of the medians.
std::string summarise(const bench_result& result);

/// What a reader should take away, a paragraph each: the headline where there are several scenarios,
/// the sentence above, then one on each scenario with variants.
std::vector<std::string> findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; else empty. `findings` ends with it.
std::string disturbance(const bench_result& result);

} // namespace linn::tool
