// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"

#include <string>

namespace linn::tool {

/// The types as CSV, a line each: docs/reference/csv.md.
std::string advise_csv(const advice& a);

} // namespace linn::tool
