// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/results.hpp"

#include <string>

namespace linn::tool {

/// One line a row: allocators first, then types.
std::string replay_csv(const replay_result& result);

} // namespace linn::tool
