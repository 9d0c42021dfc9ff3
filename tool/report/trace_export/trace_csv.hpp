// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/event.hpp"
#include "exported_stacks.hpp"

#include <iosfwd>
#include <span>

namespace linn::tool {

/// The heading of the events as CSV, and a line for each; in a sampled trace an allocation has its weight too.
void write_event_heading(const trace_info& info, std::ostream& out);
void write_events(const trace_info& info, std::span<const event> events, std::ostream& out);

/// What each stack allocated: a heading and a line for each stack and call. The stacks have the numbers that the events have.
void write_stacks(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                  std::ostream& out);

} // namespace linn::tool
