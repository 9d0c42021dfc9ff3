// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_view.hpp"
#include "flame_plot.hpp"

#include <cstddef>

namespace linn::tool::html {

/// Stacks that a page has one by one; smaller ones stand together.
inline constexpr std::size_t most_page_stacks = 6000;

/// The stacks of a recording as a flame graph: from the outermost call to the type, as wide as the bytes allocated, their number, what was
/// live at the peak, temporary or never released. The script shows them merged, in the order of time and around one
/// function; without it they are merged. It begins with the measure of the filter.
///
/// The page has the largest stacks by any measure, at most most_page_stacks, and the time in the steps of order_recorder: its size
/// depends on neither the events nor the length of the run.
markup draw_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime);

} // namespace linn::tool::html
