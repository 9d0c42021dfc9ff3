// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"
#include "csv.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The figures as CSV, one line a contender and metric (docs/reference/csv.md).
std::string run_csv(const run_result& result);

/// Its columns.
std::vector<csv_field> run_csv_columns();

/// Its line of a contender and metric; empty where there are no values.
std::vector<csv_field> run_csv_fields(const run_result& result, const run_row& row,
                                      const metric_info& metric);

} // namespace linn::tool
