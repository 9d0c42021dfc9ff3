// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"
#include "terminal.hpp"

#include <string>

namespace linn::tool {

/// The whole report of a run as text for a person.
std::string bench_report(const bench_result& result, const output_style& style);

} // namespace linn::tool
