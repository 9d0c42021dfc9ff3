// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../try/trial.hpp"
#include "terminal.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The whole report of `linn try` as text for a person, the verdict first.
std::string try_report(const try_result& result, const std::vector<std::string>& command,
                       const output_style& style);

} // namespace linn::tool
