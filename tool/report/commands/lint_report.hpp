// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../lint/lint.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// "11 places write 8.000 MiB of zeros for nothing, 3 more would write them after a change": the first sentence of every
/// report, without its full stop.
std::string lint_headline(const lint_result& result);

/// The places, files that could not be checked, and remarks. At most `top` places, all for 0.
document lint_document(const lint_result& result, std::size_t top);

/// The result in the schema "linn.lint/2" (docs/reference/lint-json.md), ended by a newline.
std::string lint_json(const lint_result& result);

/// The result for code scanning. Not const: places of notes are looked up in the texts. @source SARIF 2.1.0, OASIS Standard
std::string lint_sarif(lint_result& result);

} // namespace linn::tool::report
