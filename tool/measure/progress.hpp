// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace linn::tool {

/// Where long work stands, for a progress line.
struct work_progress {
    std::size_t done = 0;
    std::size_t total = 0; ///< 0: not known yet
    unsigned repeated = 0; ///< steps done again because the machine was disturbed
    std::string doing;
    std::optional<double> seconds_left = {}; ///< where it is known better than from `done` of `total`
};

} // namespace linn::tool
