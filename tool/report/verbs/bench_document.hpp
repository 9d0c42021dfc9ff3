// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// The report of `linn bench`: what to take away, then each scenario. @pre `judge` has run, and `result` outlives it
document bench_document(const bench_result& result);

} // namespace linn::tool::report
