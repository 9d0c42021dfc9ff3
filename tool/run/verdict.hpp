// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// Writes what the estimates mean into the result: the verdict in one sentence, findings, and warnings about what
/// weakens the figures. @pre `judge` has run
void describe_run(run_result& result);

/// "12 %", "1.2 %", "2.3 times": how much more or less a ratio is. @pre ratio > 0
std::string change_text(double ratio);

} // namespace linn::tool
