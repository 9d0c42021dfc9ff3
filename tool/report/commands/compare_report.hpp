// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/compare_files.hpp"
#include "../../compare/trace_comparison.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// The comparison: the verdict, what changed, what is new or gone, what weakens it.
document compare_document(const file_comparison& result);

/// The comparison in the schema "linn.compare/1" (docs/reference/compare-json.md), ended by a newline.
std::string compare_json(const file_comparison& result);

/// What changed between two recordings. `c` must outlive the document. @param top rows of a table in a terminal
document trace_compare_document(const trace_comparison& c, std::size_t top);

/// The schema "linn.trace-compare/1": docs/reference/trace-compare-json.md.
std::string trace_compare_json(const trace_comparison& c);

} // namespace linn::tool::report
