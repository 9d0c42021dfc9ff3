// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scenario.hpp"

#include <vector>

namespace linn::tool {

// The files of scenarios/, each with its scenarios. To add a file, declare its function here and add a row to the table in
// scenario.cpp.
std::vector<scenario> headline_scenarios();
std::vector<scenario> object_scenarios();
std::vector<scenario> containers_scenarios();
std::vector<scenario> reuse_scenarios();
std::vector<scenario> shared_ptr_scenarios();
std::vector<scenario> zero_fill_scenarios();
std::vector<scenario> sizes_scenarios();
std::vector<scenario> pipeline_scenarios();
std::vector<scenario> buffers_scenarios();
std::vector<scenario> pmr_scenarios();
std::vector<scenario> threads_scenarios();
std::vector<scenario> targets_scenarios();

} // namespace linn::tool
