// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// What a scenario over sizes shows, in whole sentences with a space before each: the fastest allocator of small blocks,
/// who has a cliff and where, and at which sizes each of Linn's ways is ahead, behind or too close to call.
std::string curve_findings(const bench_result& result, const scenario_result& s);

} // namespace linn::tool
