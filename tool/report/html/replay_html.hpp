// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../replay/results.hpp"

#include <string>

namespace linn::tool {

/// The replay as a page for a browser: one file that loads nothing (docs/guide/report.md).
std::string replay_html(const replay_result& result);

} // namespace linn::tool
