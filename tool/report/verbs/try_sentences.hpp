// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../try/trial.hpp"

#include <string>
#include <vector>

namespace linn::tool::report {

/// The judgement in one sentence or two: the first thing that every form of the report says.
std::string try_verdict(const try_result& result);

/// What explains the gain, what failed, and what a larger budget would tell. A sentence each.
std::vector<std::string> try_findings(const try_result& result);

/// What weakens the figures.
std::vector<std::string> try_warnings(const try_result& result);

} // namespace linn::tool::report
