// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "symbolizer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The frame that a report names as the place: the innermost of the user's own code or of a shared library of another
/// project. The chain's size: there is none.
std::size_t place_of(const call_chain& chain, const allocator_run& run);

/// Fills in who asked for the block: a library or C, and the class template that was given a std::allocator for it.
void name_owner(const call_chain& chain, const allocator_run& run, named_type& type);

/// Whether a language of DWARF (DW_LANG_…) is C or Rust, which have no C++ pools.
bool is_c_language(int language);

/// Blocks by the sizes that they have: "48-byte blocks", "8-32-byte blocks".
std::string blocks_of_sizes(std::uint64_t smallest, std::uint64_t largest);

/// Says whose blocks they are: those of the innermost function, from the frame `from` on, of the user's own code or of
/// another project's shared library. A function without a name is described by the nearest one of its file that called it and
/// has a name, or otherwise by the file. `sizes` are all that were seen.
unnamed_blocks describe_blocks(const call_chain& chain, std::size_t from,
                               const std::vector<std::uint64_t>& sizes);

} // namespace linn::tool
