// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../try/trial.hpp"
#include "../document/document.hpp"

#include <string>
#include <vector>

namespace linn::tool::report {

/// The report of `linn try`, the verdict first.
document try_document(const try_result& result, const std::vector<std::string>& command);

/// The result in the schema "linn.try/2" (docs/reference/try-json.md), ended by a newline.
std::string try_json(const try_result& result, const std::vector<std::string>& command);

/// The judgement in one sentence or two: the first thing that every form of the report says.
std::string try_verdict(const try_result& result);

/// What explains the gain, what failed, and what a larger budget would tell. A sentence each.
std::vector<std::string> try_findings(const try_result& result);

/// What weakens the figures.
std::vector<std::string> try_warnings(const try_result& result);

} // namespace linn::tool::report
