// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/info.hpp"
#include "../../trace/trace_counts.hpp"

#include <string>

namespace linn::tool {

/// What `linn trace` says of a file as JSON, schema linn.trace/1: docs/reference/trace.md. @pre the trace was read
std::string trace_json(const std::string& file, const trace_info& info, const trace_counts& counts);

} // namespace linn::tool
