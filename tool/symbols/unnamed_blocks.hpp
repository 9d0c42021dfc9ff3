// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "type_namer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// Blocks by the sizes that they have: "48-byte blocks", "8-32-byte blocks".
std::string blocks_of_sizes(std::uint64_t smallest, std::uint64_t largest);

/// Says whose blocks they are: those of the innermost function, from the frame `from` on, of the user's own code or of
/// another project's shared library. A function without a name is described by the nearest one of its file that called it and
/// has a name, or otherwise by the file. `sizes` are all that were seen.
unnamed_blocks describe_blocks(const call_chain& chain, std::size_t from,
                               const std::vector<std::uint64_t>& sizes);

} // namespace linn::tool
