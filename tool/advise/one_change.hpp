// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool {

/// True for blocks of one size that a class template asked its allocator argument for: an alias of it serves them.
bool is_served_by_alias(const advised_type& type);

/// For each type, the indices of all that the same change of the program serves, itself included, ascending: those of one
/// class template with an allocator argument. A type with a change of its own is alone.
using types_of_changes = std::vector<std::vector<std::size_t>>;
types_of_changes find_changes(const std::vector<advised_type>& types);

/// One change has one gain: the first of its types, which has most allocations, keeps it, and the others say which that is.
void leave_gain_to_first(std::vector<advised_type>& types, const types_of_changes& changes);

/// Puts each type whose gain another one has behind that one, as they are sorted otherwise.
void place_behind_first(std::vector<advised_type>& types);

/// What is changed, where a sentence names it: the label of the type, or "the allocator of nlohmann::basic_json".
std::string change_label(const advised_type& type);

} // namespace linn::tool
