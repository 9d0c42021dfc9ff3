// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"
#include "table.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// "hidden columns: faults (widen the terminal or use --json)".
std::string hidden_columns(const std::vector<std::string>& titles);

/// The table, and below it which columns it hides.
std::string table_and_hidden(const table& t, const output_style& style);

/// A published row's figures as "250/116/117".
std::string published_text(const published_row& row);

/// What stands below every table: what the scenario's own columns and those that all have mean, columns that did not fit,
/// the noise floor, and how many samples were repeated.
/// `hidden` are the headings that the table dropped.
std::vector<std::string> common_remarks(const bench_result& result, const scenario_result& s,
                                        const std::vector<std::string>& hidden);

/// The lines as a block of indented prose.
std::string prose_lines(const std::vector<std::string>& lines, std::size_t width);

} // namespace linn::tool
