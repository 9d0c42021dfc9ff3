// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../check/check.hpp"

#include <string>

namespace linn::tool {

/// The schema "linn.check/1": docs/reference/check-json.md.
std::string check_json(const check_result& r);

} // namespace linn::tool
