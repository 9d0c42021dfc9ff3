// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../../compare/trace_comparison.hpp"
#include "../document/markup.hpp"
#include "figure.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

/// How many things the width of a box can stand for, at most; flame_words names them.
inline constexpr std::size_t flame_measures = 6;

/// A box of the flame graph: a type, a place that allocates it, or a caller of the box above.
struct flame_node {
    std::string label;
    std::string detail; ///< shown with the label where one looks at it; may be empty
    emphasis style = emphasis::none;
    std::array<double, flame_measures> weight{};
    std::vector<flame_node> children; ///< the largest first
};

/// The child of that name, added where there is none, with its parent's style.
flame_node& child_of(flame_node& parent, const std::string& label);

/// Children by their first weight, the largest first.
void sort_children(flame_node& n);

/// Callers below a place: what is further out is not drawn.
inline constexpr std::size_t most_flame_callers = 12;

/// The frames of a stack of the trace, innermost first; called with an index of `trace_info::stacks`.
using frames_of_stack = std::function<std::vector<symbol_frame>(std::uint32_t)>;

/// All allocations, divided into types, those into places and those into callers. Where `frames` is empty, callers are
/// only known of a place's most frequent stack.
flame_node grow_flame(const advice& a, const frames_of_stack& frames);

/// Puts what is too small to be seen together ("12 more"), so that at most `most` boxes are left, or as many as are
/// larger than a thousandth. Nothing of any weight is lost. Returns how many boxes there are.
std::size_t fold_flame(flame_node& root, std::size_t most);

/// "f() · file.cpp:12", or what is known of it.
std::string frame_label(const symbol_frame& f);

/// "file.cpp:12", without folders; empty: not known.
std::string short_place(const symbol_frame& f);

/// "dir/file.cpp:12:5"; empty: not known.
std::string full_place(const symbol_frame& f);

/// What the boxes of one flame graph mean.
struct flame_words {
    std::vector<std::string_view> measures; ///< names of the weights; at most flame_measures
    std::string_view name;                  ///< of the graph, read out
    std::function<std::string(const flame_node&, const flame_node& root)> tip; ///< lines about a box
    /// -1: all of the box is gone, 1: all of it is new; empty where nothing is compared
    std::function<double(const flame_node&)> growth = {};
};

/// The words for what grow_flame() makes.
flame_words words_of_types();

/// What the script draws instead of the list, where it runs: see stack_views.hpp.
struct flame_extras {
    markup data = {};
    std::size_t first = 0; ///< the measure that the script begins with
};

/// The tree as boxes that hang from the whole, each as wide as its share; a nested list underneath. The script switches
/// what the width stands for, zooms and searches.
markup draw(const flame_node& root, const flame_words& words, const flame_extras& extras = {});

/// All allocations of two recordings, divided as grow_flame() does: types, places, callers. A box weighs the larger of both
/// recordings, the new one and the old one, by the measure that the comparison sorts by.
flame_node grow_flame_difference(const trace_comparison& c);

/// The words for it.
flame_words words_of_difference(const trace_comparison& c);

} // namespace linn::tool::html
