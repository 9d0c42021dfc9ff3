// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What a reader should take away, a paragraph each: the verdict of the headline where that was measured, then one on each
/// other scenario, win or lose, and what weakens it all. Nothing is claimed that `judge` does not. @pre `judge` has run
std::vector<std::string> findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; else empty. `findings` ends with it,
/// or with how far the headline is to be trusted.
std::string disturbance(const bench_result& result);

} // namespace linn::tool
