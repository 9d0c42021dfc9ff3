// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "figure.hpp"

namespace linn::tool::html {

/// The ratio at which the bars of `overview_plot` end: one that is thousands would leave the others no room.
inline constexpr double longest_bar = 16;

/// Every scenario at a glance: Linn's speed by that of the best other, phase by phase. Nothing without Linn's rows.
markup overview_plot(id_source& ids, const bench_result& result);

/// Every sample of a scenario relative to the baseline, a panel a phase; panels that do not fit next to each other are folded
/// away. For scenarios whose phases are sizes, curves over the size instead.
markup scenario_plots(id_source& ids, const bench_result& result, const scenario_result& s);

} // namespace linn::tool::html
