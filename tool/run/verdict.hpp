// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

namespace linn::tool {

/// Writes what the estimates mean into the result: the verdict in one sentence, findings, and warnings about what
/// weakens the figures. @pre `judge` has run
void describe_run(run_result& result);

} // namespace linn::tool
