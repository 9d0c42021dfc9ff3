// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "type_groups.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What was seen besides the types: page faults that cost much, blocks that were never freed, temporary objects, zero fills,
/// releases by other threads, code without debug information. In this order, and the weightiest of each kind first. @pre the types are decided
std::vector<advice_finding> find_findings(const advice& a, const naming& names);

/// What weakens the advice: a trace with damage, dropped events, releases of unknown blocks, a CPU time that is not known.
std::vector<std::string> find_warnings(const advice& a);

} // namespace linn::tool
