// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"
#include "target.hpp"

#include <vector>

namespace linn::tool {

/// What takes part, `default` and its copy first, and what does not, with the reason.
std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<left_out_contender>& left_out);

} // namespace linn::tool
