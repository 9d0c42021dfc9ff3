// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "flame_tree.hpp"

namespace linn::tool::html {

/// The tree as boxes that hang from the whole, each as wide as its share; a nested list underneath. The script switches
/// what the width stands for, zooms and searches.
markup draw(const flame_node& root);

} // namespace linn::tool::html
