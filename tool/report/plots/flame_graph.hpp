// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/trace_comparison.hpp"
#include "../../profile/trace_view.hpp"
#include "../document/markup.hpp"
#include "figure.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

/// How many things the width of a box can stand for, at most; flame_graph::measures names them.
inline constexpr std::size_t flame_measures = 6;

/// A box of the flame graph: a call, a type, or a place that allocates it.
struct flame_node {
    std::string label;
    std::string detail; ///< shown with the label where one looks at it; may be empty
    emphasis style = emphasis::none;
    std::array<double, flame_measures> weight{};
    std::vector<flame_node> children = {}; ///< the largest first
};

/// A tree of boxes and what they mean.
struct flame_graph {
    std::string_view name;                  ///< of the graph, read out
    std::vector<std::string_view> measures; ///< names of the weights; at most flame_measures
    std::size_t first = 0;                  ///< the measure that the script begins with
    std::function<std::string(const flame_node&, const flame_node& root)> tip; ///< lines about a box
    /// -1: all of the box is gone, 1: all of it is new; empty where nothing is compared
    std::function<double(const flame_node&)> growth = {};
    flame_node root;
};

/// The stacks of a recording, from the outermost call to the type, as wide as the bytes allocated, their number, what was live at the
/// peak, temporary or never released. The script begins with the measure of the filter.
flame_graph graph_of_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime);

/// The stacks of two recordings: types, their places, and the callers of these. A box weighs the larger of both recordings, the new
/// one and the old one, by the measure that the comparison sorts by.
flame_graph graph_of_difference(const trace_comparison& c);

/// Puts what is too small to be seen together ("12 more"), so that at most `most` boxes are left, or as many as are
/// larger than a thousandth. Nothing of any weight is lost. Returns how many boxes there are.
std::size_t fold_flame(flame_node& root, std::size_t most);

/// The boxes, each as wide as its share, hanging from the whole; a nested list underneath. At most some thousands are drawn. The
/// script switches what the width stands for, zooms and searches.
markup draw(flame_graph graph);

} // namespace linn::tool::html
