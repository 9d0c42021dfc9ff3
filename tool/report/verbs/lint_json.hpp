// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../lint/lint.hpp"

#include <string>

namespace linn::tool {

/// The result in the schema "linn.lint/2" (docs/reference/lint-json.md), ended by a newline.
std::string lint_json(const lint_result& result);

/// The result for code scanning. Not const: places of notes are looked up in the texts. @source SARIF 2.1.0, OASIS Standard
std::string lint_sarif(lint_result& result);

} // namespace linn::tool
