// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/fills.hpp"
#include "../../profile/trace_view.hpp"
#include "../../trace/counts.hpp"
#include "../../trace/info.hpp"
#include "../document/document.hpp"

#include <cstddef>
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

/// What `linn trace --peak`, `--temporary` and `--leaks` say: some of the blocks of a recording by type, place and stack. Both
/// must live as long as the result.
document trace_view_document(const trace_profile& profile, const trace_view& view, std::size_t top);

/// What a page about a whole recording has: live bytes over time, the types, places and stacks, and the flame graph. Both must live
/// as long as the document.
void add_recording(document& d, const trace_profile& profile, const trace_view& view);

/// A view of a recording as JSON, schema linn.trace-view/1: docs/reference/trace-view-json.md
std::string trace_view_json(const trace_profile& profile, const trace_view& view);

/// The zero fills of a run, the verdict first. `top`: rows of the table.
document fills_document(const fill_report& report, std::size_t top);

/// The zero fills of a run as JSON, schema linn.fills/1: docs/reference/fills-json.md. `file`: the trace.
std::string fills_json(const fill_report& report, const trace_info& info, const std::string& file);

} // namespace linn::tool::report
