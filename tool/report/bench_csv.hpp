// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"

#include <string>

namespace linn::tool {

/// The figures as CSV, one line a scenario, variant, contender and phase (docs/reference/csv.md).
std::string bench_csv(const bench_result& result);

} // namespace linn::tool
