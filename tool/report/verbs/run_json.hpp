// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/results.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace linn::tool {

/// The run in the schema "linn.run/1" (docs/reference/run-json.md), ended by a newline.
std::string run_json(const run_result& result);

/// The same as a part of another document.
nlohmann::ordered_json run_document(const run_result& result);

/// The words of that schema.
const char* to_string(verdict v) noexcept;
const char* to_string(stop_reason reason) noexcept;
const char* to_string(enum metric_info::unit unit) noexcept;

} // namespace linn::tool
