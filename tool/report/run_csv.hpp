// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"

#include <string>

namespace linn::tool {

/// The figures as CSV, one line a contender and metric (docs/reference/csv.md).
std::string run_csv(const run_result& result);

} // namespace linn::tool
