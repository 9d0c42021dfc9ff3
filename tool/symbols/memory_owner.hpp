// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "type_namer.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::tool {

/// The innermost function that is neither the allocator's nor of the standard library: what asked for the memory, or
/// called the container that did. The chain's size: there is none.
std::size_t owner_of(const call_chain& chain, const allocator_run& run);

/// The frame that a report names as the place: the innermost of the user's own code or of a shared library of another
/// project. The chain's size: there is none.
std::size_t place_of(const call_chain& chain, const allocator_run& run);

/// Fills in who asked for the block: a library or C, and the class template that was given a std::allocator for it.
void name_owner(const call_chain& chain, const allocator_run& run, named_type& type);

/// Whether a language of DWARF (DW_LANG_…) is C.
bool is_c_language(int language);

/// Whether a template argument is a `std::allocator`, of a type or the template itself.
bool is_standard_allocator(std::string_view argument);

} // namespace linn::tool
