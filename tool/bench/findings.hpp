// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// What one scenario with variants shows besides the comparisons, in whole sentences with a space before each; empty
/// where the rows for it were not measured.
std::string scenario_finding(const bench_result& result, const scenario_result& s);

} // namespace linn::tool
