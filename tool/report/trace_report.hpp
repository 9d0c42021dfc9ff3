// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"
#include "../trace/trace_counts.hpp"
#include "terminal.hpp"

#include <iosfwd>
#include <span>
#include <string>

namespace linn::tool {

/// What `linn trace` says of a file. @pre the trace was read
std::string trace_summary(const std::string& file, const trace_info& info, const trace_counts& counts,
                          const output_style& style);

/// The same as JSON, schema linn.trace/1: docs/reference/trace.md.
std::string trace_json(const std::string& file, const trace_info& info, const trace_counts& counts);

/// The heading of the events as text, and one event as a line of it.
std::string event_heading();
std::string event_line(const trace_info& info, const event& e);

} // namespace linn::tool
