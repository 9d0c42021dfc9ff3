// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"
#include "terminal.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The inventory for people: a table, the library below each row, then what to know and how to get what is missing.
std::string allocators_table(const std::vector<allocator_entry>& entries, const output_style& style);

} // namespace linn::tool
