// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/results.hpp"
#include "figure.hpp"
#include "markup.hpp"

#include <string>
#include <utility>
#include <vector>

namespace linn::tool::html {

// What pages say of a run of `linn run`, as parts that a page puts under headings of its own.

/// One compared metric of every row: medians, intervals, ratios, tests, verdicts.
markup run_estimates(const run_result& result, const metric_info& m);

/// All else that was counted, as plots and tables, but for the metric that is shown elsewhere; every run, folded.
markup run_everything(id_source& ids, const run_result& result, const metric_info& shown);

/// The default against itself.
markup run_noise(const run_result& result);

/// Failures, what was preloaded, who provided memory, and what was left out.
markup run_proof(const run_result& result);

/// The program, the options and the machine as names and values.
std::vector<std::pair<std::string, std::string>> run_entries(const run_result& result);

/// The program's file without its folder.
std::string program_name(const run_result& result);

} // namespace linn::tool::html
