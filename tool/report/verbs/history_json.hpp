// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/history.hpp"

#include <string>

namespace linn::tool {

/// The schema "linn.history/1": docs/reference/compare-json.md.
std::string history_json(const result_history& h);

} // namespace linn::tool
