// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stack_names.hpp"
#include "stack_tally.hpp"

#include <iosfwd>

namespace linn::tool {

/// A trace of Perfetto: live bytes over time as a counter, and two heap profiles by stack, at the peak and at the end. The first
/// has what was live then as allocated and nothing as freed; what came and went before it counts in the second one.
/// Memory in proportion to the names and stacks.
/// @source perfetto_trace.proto of github.com/google/perfetto
void write_perfetto(const trace_info& info, const stack_tally& tally, const address_names& names,
                    std::ostream& out);

} // namespace linn::tool
