// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/trace_comparison.hpp"

#include <string>

namespace linn::tool {

/// The schema "linn.trace-compare/1": docs/reference/trace-compare-json.md.
std::string trace_compare_json(const trace_comparison& c);

} // namespace linn::tool
