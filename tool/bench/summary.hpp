// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What a reader should take away, a paragraph each: the headline where there are several scenarios, then one on each
/// scenario, win or lose. Nothing is claimed that `judge` does not. @pre `judge` has run
std::vector<std::string> findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; else empty. `findings` ends with it.
std::string disturbance(const bench_result& result);

} // namespace linn::tool
