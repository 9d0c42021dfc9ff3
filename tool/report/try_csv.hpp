// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../try/trial.hpp"

#include <string>

namespace linn::tool {

/// The figures as CSV, one line a part, row and metric: the columns of `linn run` and what is of `linn try` behind them
/// (docs/reference/csv.md).
std::string try_csv(const try_result& result);

} // namespace linn::tool
