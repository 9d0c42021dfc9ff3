// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../try/trial.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The trial as a page for a browser: one file that loads nothing (docs/guide/report.md).
std::string try_html(const try_result& result, const std::vector<std::string>& command);

} // namespace linn::tool
