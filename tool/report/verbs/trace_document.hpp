// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/info.hpp"
#include "../../trace/trace_counts.hpp"
#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// What `linn trace` says of a file. @pre the trace was read
document trace_document(const std::string& file, const trace_info& info, const trace_counts& counts);

} // namespace linn::tool::report
