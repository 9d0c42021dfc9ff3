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

/// Contenders with higher ranks are left out first where the budget is small: the last of --only, otherwise the last of the catalogue.
/// Mimalloc and the settings of glibc stay longest, because they gain most in most programs and cost nothing to try.
std::size_t rank_of(const run_contender& c, const run_options& options);

} // namespace linn::tool
