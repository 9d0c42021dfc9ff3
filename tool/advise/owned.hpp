// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What is allocated again with nearly every object of a type: allocations within its constructors, or by the same
/// function, about as often and as long-lived. The label of the most frequent such type; empty where there is none.
std::string owned_with(const advised_type& type, const std::vector<advised_type>& types);

} // namespace linn::tool
