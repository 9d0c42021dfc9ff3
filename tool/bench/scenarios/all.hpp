// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../scenario.hpp"

namespace linn::tool {

// One function a file.
scenario object_scenario() noexcept;
scenario containers_scenario() noexcept;
scenario shared_ptr_scenario() noexcept;
scenario zero_fill_scenario() noexcept;
scenario pipeline_scenario() noexcept;
scenario buffers_scenario() noexcept;
scenario pmr_scenario() noexcept;
scenario sizes_scenario() noexcept;

/// Those of the group threads.
std::span<const scenario> threads_scenarios();

} // namespace linn::tool
