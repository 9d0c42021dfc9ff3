// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_view.hpp"

#include <string>

namespace linn::tool {

/// A view of a recording as JSON, schema linn.trace-view/1: docs/reference/trace-view-json.md
std::string trace_view_json(const trace_profile& profile, const trace_view& view);

} // namespace linn::tool
