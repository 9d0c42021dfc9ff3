// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The inventory as CSV, one line an allocator, with a line of headings.
std::string allocators_csv(const std::vector<allocator_entry>& entries);

} // namespace linn::tool
