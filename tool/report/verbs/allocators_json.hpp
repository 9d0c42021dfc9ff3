// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../allocators/inventory.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The inventory in the schema "linn.allocators/1" (docs/reference/allocators-json.md), ended by a newline.
std::string allocators_json(const std::vector<allocator_entry>& entries);

} // namespace linn::tool
