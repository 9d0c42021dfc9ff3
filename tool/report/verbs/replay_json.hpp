// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../replay/results.hpp"

#include <string>

namespace linn::tool {

/// The result as JSON, of the schema "linn.replay/1": docs/reference/replay-json.md.
std::string replay_json(const replay_result& result);

} // namespace linn::tool
