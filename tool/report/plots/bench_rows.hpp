// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../../measure/statistics.hpp"
#include "figure.hpp"

#include <optional>
#include <string>
#include <vector>

namespace linn::tool::html {

/// Rows of a scenario that stand together: those of one way of doing its work on every allocator, those of all ways that
/// bring a pool of their own, or all rows of a scenario without ways. Fastest first.
struct row_group {
    std::string heading; ///< empty in scenarios without variants
    std::string note;    ///< what the heading does not say
    std::vector<const row*> rows;
    std::optional<std::size_t> variant; ///< of a way that runs on every allocator
};

/// All rows of the scenario that have samples, each once.
std::vector<row_group> group_rows(const bench_result& result, const scenario_result& s);

/// What a row is called within its group.
std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r);

/// Linn's rows and the second copy of the baseline are set apart.
emphasis style_of(const bench_result& result, const row& r);

/// The median of the row that ratios refer to in this phase; 0 where it is missing.
double reference_cycles(const bench_result& result, const scenario_result& s, std::size_t phase);

/// The medians' interval in cycles at 95 %, by bootstrap; the same for every run of the program.
interval median_interval(const std::vector<double>& cycles);

/// The values of a phase that are there; a variant without that phase has none.
std::vector<double> present_cycles(const row& r, std::size_t phase);

} // namespace linn::tool::html
