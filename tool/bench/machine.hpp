// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

namespace linn::tool {

/// Describes this machine; takes about 0.1 s, because it calibrates the tick counter against the clock.
machine_info inspect_machine();

/// Touches fresh pages and gives them back. A virtual machine returns idle pages to its host; without this the
/// first contender after a pause would pay for fetching them again.
void touch_memory(std::size_t bytes);

} // namespace linn::tool
