// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_view.hpp"
#include "result_file.hpp"

#include <vector>

namespace linn::tool {

/// Fill in setting and series from a document of that schema. @throws bad_field
void read_bench(const json_view& document, result_file& file);
void read_run(const json_view& document, result_file& file);

/// Adds a series. @throws bad_field when the file has one of that name already
void add_series(result_file& file, series_name name, measured_series series);

/// Sets the ratios of a series: to `reference` of the same round where both have a value for
/// every round, else to its median. Without a reference, or one with a zero, there are none.
void set_ratios(measured_series& series, const std::vector<double>* reference);

} // namespace linn::tool
