// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// Reads what a user gave to `--allocator`, "NAME=PATH", and adds it to `list`. A name that is in `reserved` or was given
/// before is refused, and one that the lists of names of other options could not hold. Returns what is wrong, or an empty
/// string.
std::string take_library(const std::string& text, const std::vector<std::string>& reserved,
                         user_allocators& list);

} // namespace linn::tool
