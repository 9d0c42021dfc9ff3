// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "figure.hpp"

#include <string>
#include <vector>

namespace linn::tool::html {

/// A line of a bar plot.
struct bar {
    std::string label;
    double value = 0;
    double low = 0;  ///< of its interval; equal to `value`: none is drawn
    double high = 0; ///< likewise
    std::string remark = {};
    emphasis style = emphasis::none;
};

/// Bars under a heading; the heading may be empty.
struct bar_group {
    std::string heading;
    std::vector<bar> bars;
};

/// Ratios as bars from 1, on a logarithmic axis: to the right above it, to the left below.
struct bar_plot {
    std::string title;
    std::string axis_title;
    std::vector<bar_group> groups;
    double most = 0; ///< a bar beyond it, or below 1 by it, is cut, with gaps near its end; 0: none is
};

/// The plot, or nothing where it has no bars.
markup draw(id_source& ids, const bar_plot& plot);

} // namespace linn::tool::html
