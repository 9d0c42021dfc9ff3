// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/event.hpp"
#include "stack_names.hpp"
#include "stack_tally.hpp"

#include <iosfwd>
#include <span>

namespace linn::tool {

/// The heading of the events as CSV, and a line for each; in a sampled trace an allocation has its weight too.
void write_event_heading(const trace_info& info, std::ostream& out);
void write_events(const trace_info& info, std::span<const event> events, std::ostream& out);

/// What each stack allocated: a heading and a line a stack, the numbers of stacks being those of the events. Stacks without a
/// block that the filter lets through are left out.
void write_stacks(const trace_info& info, const stack_tally& tally, const address_names& names,
                  std::ostream& out, block_filter filter = block_filter::all);

} // namespace linn::tool
