// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../try/trial.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The report as GitHub's Markdown, to be pasted into an issue: the verdict, then a table of the ways to run the program.
std::string try_markdown(const try_result& result, const std::vector<std::string>& command);

} // namespace linn::tool
