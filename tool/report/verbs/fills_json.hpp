// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/fills.hpp"

#include <string>

namespace linn::tool {

/// The zero fills of a run as JSON, schema linn.fills/1: docs/reference/fills-json.md. `file`: the trace.
std::string fills_json(const fill_report& report, const trace_info& info, const std::string& file);

} // namespace linn::tool
