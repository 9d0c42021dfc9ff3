// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/fills.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// The zero fills of a run, the verdict first. `top`: rows of the table.
document fills_document(const fill_report& report, std::size_t top);

/// The zero fills of a run as JSON, schema linn.fills/1: docs/reference/fills-json.md. `file`: the trace.
std::string fills_json(const fill_report& report, const trace_info& info, const std::string& file);

} // namespace linn::tool::report
