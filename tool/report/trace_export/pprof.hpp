// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exported_stacks.hpp"

#include <iosfwd>
#include <span>

namespace linn::tool {

/// A profile as pprof reads it, compressed: allocations and bytes, in all and still live at the end, by stack.
/// With a filter: only the blocks that the stacks were filtered for, and their bytes, as "peak_objects" and "peak_space" and the like. Modules
/// lie at made-up addresses, apart from each other. Written as it goes; memory in proportion to the names.
/// @source profile.proto of github.com/google/pprof
void write_pprof(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                 std::ostream& out, block_filter filter = block_filter::all);

} // namespace linn::tool
