// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"

#include <string>

namespace linn::tool {

/// The report as GitHub's Markdown, to be pasted into an issue: the verdict, then a table of contenders and metrics.
std::string run_markdown(const run_result& result);

} // namespace linn::tool
