// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/results.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// The report of `linn run`, the verdict first.
document run_document(const run_result& result);

} // namespace linn::tool::report
