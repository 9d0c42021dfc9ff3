// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "flame_tree.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

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

} // namespace linn::tool::html
