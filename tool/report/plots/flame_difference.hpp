// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/trace_comparison.hpp"
#include "flame_plot.hpp"

namespace linn::tool::html {

/// All allocations of two recordings, divided as grow_flame() does: types, places, callers. A box weighs the larger of both
/// recordings, the new one and the old one, by the measure that the comparison sorts by.
flame_node grow_flame_difference(const trace_comparison& c);

/// The words for it.
flame_words words_of_difference(const trace_comparison& c);

} // namespace linn::tool::html
