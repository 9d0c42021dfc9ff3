// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace linn::tool {

/// Where long work stands, for a progress line.
struct work_progress {
    std::size_t done = 0;
    std::size_t total = 0; ///< 0: not known yet
    unsigned repeated = 0; ///< steps done again because the machine was disturbed
    std::string doing;
};

} // namespace linn::tool
