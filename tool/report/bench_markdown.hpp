// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"

#include <string>

namespace linn::tool {

/// The report as GitHub's Markdown, to be pasted into an issue: what was found, then a table a scenario.
std::string bench_markdown(const bench_result& result);

} // namespace linn::tool
