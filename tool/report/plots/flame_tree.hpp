// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "figure.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool::html {

/// How many things the width of a box can stand for, at most; flame_words names them.
inline constexpr std::size_t flame_measures = 5;

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

} // namespace linn::tool::html
