// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_view.hpp"
#include "../../trace/info.hpp"
#include "../../trace/trace_counts.hpp"
#include "../document/document.hpp"

#include <optional>
#include <string>

namespace linn::tool::report {

/// What was allocated, for the page; all must live as long as the document.
struct looked_at {
    const trace_profile& profile;
    const trace_view& view;
};

/// What `linn trace` says of a file. @pre the trace was read
document trace_document(const std::string& file, const trace_info& info, const trace_counts& counts,
                        const std::optional<looked_at>& allocated = std::nullopt);

/// What `linn trace` says of a file as JSON, schema linn.trace/1: docs/reference/trace.md. @pre the trace was read
std::string trace_json(const std::string& file, const trace_info& info, const trace_counts& counts);

} // namespace linn::tool::report
