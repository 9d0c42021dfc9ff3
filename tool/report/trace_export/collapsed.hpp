// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exported_stacks.hpp"
#include "trace_export.hpp"

#include <iosfwd>
#include <span>

namespace linn::tool {

/// A line a stack: its functions from the outermost to the innermost with ';' between them, a space, its weight. Inlined
/// functions are functions. Lines are sorted, equal ones are one; what weighs nothing is left out.
/// @source the format that Brendan Gregg's flamegraph.pl reads
void write_collapsed(const trace_info& info, std::span<const exported_stack> stacks,
                     const address_names& names, export_weight weight, std::ostream& out);

} // namespace linn::tool
