// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/results.hpp"
#include "../document/document.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace linn::tool::report {

/// The report of `linn run`, the verdict first.
document run_document(const run_result& result);

/// The run in the schema "linn.run/1" (docs/reference/run-json.md), ended by a newline.
std::string run_json(const run_result& result);

/// The same as a part of another document.
nlohmann::ordered_json run_fields(const run_result& result);

} // namespace linn::tool::report
