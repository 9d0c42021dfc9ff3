// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/scan.hpp"

#include <string>

namespace linn::tool {

/// The schema "linn.run-scan/1" (docs/reference/run-json.md), ended by a newline.
std::string scan_json(const scan_result& scan);

} // namespace linn::tool
