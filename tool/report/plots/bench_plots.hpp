// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../bench/results.hpp"
#include "../document/markup.hpp"
#include "figure.hpp"

#include <optional>
#include <string>
#include <vector>

namespace linn::tool::html {

/// Rows of a scenario that stand together, fastest first: those of one way of doing its work on every allocator, or those
/// of all ways that bring a pool of their own.
struct row_group {
    std::string heading;
    std::string note; ///< what the heading does not say
    std::vector<const row*> rows;
    std::optional<std::size_t> variant; ///< of a way that runs on every allocator
};

/// All rows of the scenario that have samples, each once.
std::vector<row_group> group_rows(const scenario_result& s);

/// What a row is called within its group.
std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r);

/// Linn's rows and the second copy of the baseline are set apart.
emphasis style_of(const bench_result& result, const row& r);

/// Every scenario at a glance: Linn's speed by that of the best other, phase by phase. Nothing without Linn's rows.
markup overview_plot(id_source& ids, const bench_result& result);

/// Every sample of a scenario relative to the baseline, a panel a phase; panels that do not fit next to each other are folded
/// away. For scenarios whose phases are sizes, curves over the size instead.
markup scenario_plots(id_source& ids, const bench_result& result, const scenario_result& s);

} // namespace linn::tool::html
