// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"
#include "terminal.hpp"

#include <map>
#include <string>

namespace linn::tool {

/// Three significant digits without an exponent, and no more than `decimals` after the point: "1234", "56.7".
std::string three_digits(double value, int decimals);

/// The table and the remarks of a scenario that has variants. `marks` are the numbers of the notes by contender.
std::string variant_report(const bench_result& result, const scenario_result& s,
                           const std::map<std::string, int>& marks, const output_style& style);

} // namespace linn::tool
