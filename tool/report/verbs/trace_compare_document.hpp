// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/trace_comparison.hpp"
#include "../document/document.hpp"

#include <cstddef>

namespace linn::tool::report {

/// What changed between two recordings. `c` must outlive the document. @param top rows of a table in a terminal
document trace_compare_document(const trace_comparison& c, std::size_t top);

} // namespace linn::tool::report
