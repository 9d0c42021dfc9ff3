// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../analysis/trace_analysis.hpp"
#include "../document/markup.hpp"
#include "figure.hpp"

#include <string>
#include <vector>

namespace linn::tool::html {

/// One measure over time.
struct timeline_series {
    std::string title;
    unit what = unit::count;
    std::vector<double> values; ///< one a step
    std::string note = {};      ///< behind the title; may be empty
};

/// Measures over the same time, each in a panel of its own, one above the other. The script reads them out at the
/// pointer or, by the arrow keys, at a mark.
struct timeline_plot {
    std::string title;
    double step_ns = 0;
    std::vector<timeline_series> series;
    double peak_ns = -1; ///< a line in the first panel; negative: none
};

/// What a screen can show: more steps than this are drawn several in one.
inline constexpr std::size_t most_timeline_steps = 400;

/// `values` in at most `most` steps of equal width: the largest of each, or their mean where `is_mean`.
/// `width` becomes how many of the old steps are in a new one.
std::vector<double> fewer_steps(const std::vector<double>& values, std::size_t most, bool is_mean,
                                std::size_t& width);

/// The panels, or nothing where there is nothing to show.
markup draw(id_source& ids, const timeline_plot& plot);

/// Live bytes, live blocks and events over the run.
markup run_over_time(id_source& ids, const trace_analysis& t);

} // namespace linn::tool::html
