// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../try/trial.hpp"

#include <string>

namespace linn::tool {

/// The result in the schema "linn.try/2" (docs/reference/try-json.md), ended by a newline.
std::string try_json(const try_result& result, const std::vector<std::string>& command);

} // namespace linn::tool
