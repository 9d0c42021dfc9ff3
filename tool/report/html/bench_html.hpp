// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"

#include <string>

namespace linn::tool {

/// The run as a page for a browser: one file that loads nothing (docs/guide/report.md).
std::string bench_html(const bench_result& result);

} // namespace linn::tool
