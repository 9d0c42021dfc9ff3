// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/trace_comparison.hpp"
#include "../../profile/trace_view.hpp"
#include "figure.hpp"

namespace linn::tool::html {

// Boxes hang from the whole, each as wide as its share; a nested list underneath. What is too small to be seen is put together
// ("12 more"), so that at most some thousands are drawn and nothing of any weight is lost. The script switches what the width
// stands for, zooms and searches.

/// The stacks of a recording, from the outermost call to the type, as wide as the bytes allocated, their number, what was live at the
/// peak, temporary or never released. The script begins with the measure of the filter.
markup flame_of_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime);

/// The stacks of two recordings: types, their places, and the callers of these. A box weighs the larger of both recordings, the new
/// one and the old one, by the measure that the comparison sorts by.
markup flame_of_difference(const trace_comparison& c);

} // namespace linn::tool::html
