// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compare/compare_files.hpp"
#include "terminal.hpp"

#include <string>

namespace linn::tool {

/// The comparison as text for a person: the verdict, what changed, what is new or gone, what weakens it.
std::string compare_report(const file_comparison& result, const output_style& style);

/// The same as GitHub's Markdown.
std::string compare_markdown(const file_comparison& result);

/// The comparison in the schema "linn.compare/1" (docs/reference/compare-json.md), ended by a newline.
std::string compare_json(const file_comparison& result);

} // namespace linn::tool
