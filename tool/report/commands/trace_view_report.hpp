// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_view.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// What `linn trace --peak`, `--temporary` and `--leaks` say: some of the blocks of a recording by type, place and stack. Both
/// must live as long as the result.
document trace_view_document(const trace_profile& profile, const trace_view& view, std::size_t top);

/// What a page about a whole recording has: live bytes over time, the types, places and stacks, and the flame graph. Both must live
/// as long as the document.
void add_recording(document& d, const trace_profile& profile, const trace_view& view);

/// A view of a recording as JSON, schema linn.trace-view/1: docs/reference/trace-view-json.md
std::string trace_view_json(const trace_profile& profile, const trace_view& view);

} // namespace linn::tool::report
