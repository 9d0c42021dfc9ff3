// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../try/trial.hpp"
#include "../document/document.hpp"

#include <string>
#include <vector>

namespace linn::tool::report {

/// The report of `linn try`, the verdict first.
document try_document(const try_result& result, const std::vector<std::string>& command);

} // namespace linn::tool::report
