// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The inventory as a table in GitHub's Markdown.
std::string allocators_markdown(const std::vector<allocator_entry>& entries);

} // namespace linn::tool
