// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../lint/lint.hpp"
#include "terminal.hpp"

#include <string>

namespace linn::tool {

/// For a person: the headline, the places, files that could not be checked, and what else is to be known. At most `top`
/// places, all for 0.
std::string lint_table(const lint_result& result, std::size_t top, const output_style& style);

/// The same as GitHub's Markdown, with all places.
std::string lint_markdown(const lint_result& result);

/// The result in the schema "linn.lint/1" (docs/reference/lint-json.md), ended by a newline. Not const: places of notes are
/// looked up in the texts.
std::string lint_json(const lint_result& result);

/// One line a place (docs/reference/csv.md).
std::string lint_csv(const lint_result& result);

/// The result for code scanning. @source SARIF 2.1.0, OASIS Standard
std::string lint_sarif(lint_result& result);

} // namespace linn::tool
