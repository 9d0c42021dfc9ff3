// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../allocators/inventory.hpp"
#include "../document/document.hpp"

#include <string>
#include <vector>

namespace linn::tool::report {

/// The inventory: what is here, how it was proven, and how to get the rest.
document allocators_document(const std::vector<allocator_entry>& entries);

/// The inventory in the schema "linn.allocators/1" (docs/reference/allocators-json.md), ended by a newline.
std::string allocators_json(const std::vector<allocator_entry>& entries);

} // namespace linn::tool::report
