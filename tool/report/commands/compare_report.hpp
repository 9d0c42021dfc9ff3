// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/compare_files.hpp"
#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// The comparison: the verdict, what changed, what is new or gone, what weakens it.
document compare_document(const file_comparison& result);

/// The comparison in the schema "linn.compare/1" (docs/reference/compare-json.md), ended by a newline.
std::string compare_json(const file_comparison& result);

} // namespace linn::tool::report
