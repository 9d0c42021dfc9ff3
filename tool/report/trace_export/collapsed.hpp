// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stack_names.hpp"
#include "stack_tally.hpp"
#include "trace_export.hpp"

#include <iosfwd>

namespace linn::tool {

/// A line a stack: its functions from the outermost to the innermost with ';' between them, a space, its weight. Inlined
/// functions are functions. Lines are sorted, equal ones are one; what weighs nothing is left out.
/// Of the blocks that the filter lets through.
/// @source the format that Brendan Gregg's flamegraph.pl reads
void write_collapsed(const trace_info& info, const stack_tally& tally, const address_names& names,
                     export_weight weight, std::ostream& out, block_filter filter = block_filter::all);

} // namespace linn::tool
