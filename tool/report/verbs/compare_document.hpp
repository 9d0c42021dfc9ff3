// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/compare_files.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// The comparison: the verdict, what changed, what is new or gone, what weakens it.
document compare_document(const file_comparison& result);

} // namespace linn::tool::report
