// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"
#include "terminal.hpp"

#include <string>

namespace linn::tool {

/// The whole report of `linn run` as text for a person, the verdict first.
std::string run_report(const run_result& result, const output_style& style);

} // namespace linn::tool
