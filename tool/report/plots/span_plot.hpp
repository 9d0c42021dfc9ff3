// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "figure.hpp"
#include "linear_axis.hpp"

#include <string>
#include <vector>

namespace linn::tool::html {

/// A line of a span plot: a range that is known to its low end and possible up to its high one.
struct span_row {
    std::string label;
    double low = 0;
    double high = 0; ///< at least `low`
    emphasis style = emphasis::none;
};

/// Ranges from 0 on one axis: solid up to the low end, hatched up to the high one.
struct span_plot {
    std::string title;
    std::string axis_title;
    unit what = unit::share;
    std::vector<span_row> rows;
};

/// The plot, or nothing where it has no rows.
markup draw(id_source& ids, const span_plot& plot);

} // namespace linn::tool::html
