// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "figure.hpp"

#include <string>
#include <vector>

namespace linn::tool::html {

/// A point of a curve; both positive.
struct curve_point {
    double x = 0;
    double y = 0;
};

/// How a curve is drawn: solid, dashed or dotted, so that no colour is needed to tell them apart.
enum class stroke { solid, dashed, dotted };

/// One curve of a panel.
struct curve {
    std::string name; ///< in the legend
    stroke style = stroke::solid;
    std::vector<curve_point> points;
};

/// The curves of one contender.
struct curve_panel {
    std::string title;
    std::vector<curve> curves;
    std::string remark = {}; ///< below the title, such as where its cost jumps
    emphasis style = emphasis::none;
};

/// A panel for each contender on the same logarithmic axes, the one along marked in powers of two; the solid curves of the others stand behind, so that each is
/// seen among all.
struct curve_plot {
    std::string x_title;
    std::string y_title;
    std::vector<curve_panel> panels;
};

/// The panels, or nothing where they have no points.
markup draw(id_source& ids, const curve_plot& plot);

} // namespace linn::tool::html
