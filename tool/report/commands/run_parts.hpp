// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/run.hpp"
#include "../document/document.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::report {

/// The run in the schema "linn.run/1", to be written to a file or to be a part of another document.
nlohmann::ordered_json run_fields(const run_result& result);

// What the reports of `linn run` and `linn try` say of a run alike, as blocks that each puts under headings of its own.

/// The verdict on a metric of a row: "faster", "less", "tie", "(control)"; nothing for the default.
cell verdict_cell(const run_row& row, const estimate& e, std::string_view metric);

/// All that was counted, as plots and a table, which is for those forms; the plot of one metric is shown elsewhere.
std::vector<block> everything_counted(const run_result& result, const metric_info& shown, forms has_table);

/// The program, the options and the machine.
facts facts_of(const run_result& result);

/// A line for each row and metric that has values, and the columns that CSV shows of it.
nlohmann::ordered_json run_lines(const run_result& result);
inline constexpr std::string_view run_columns =
    "contender title metric unit rounds median low high min ratio ratio_low ratio_high p p_adjusted call "
    "noise_floor repeated failure command complete started version cpu";

} // namespace linn::tool::report
