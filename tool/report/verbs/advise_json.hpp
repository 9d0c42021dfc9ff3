// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"

#include <string>

namespace linn::tool {

/// The advice as JSON, schema "linn.advise/2": docs/reference/advise-json.md.
std::string advise_json(const advice& a);

} // namespace linn::tool
