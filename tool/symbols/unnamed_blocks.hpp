// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "type_namer.hpp"

#include <cstdint>
#include <vector>

namespace linn::tool {

/// Says whose blocks they are: those of the innermost function of the user's own, by its name; where it has none, by the
/// nearest function of its file that called it and has one, else by the file. `sizes` are all that were seen.
unnamed_blocks describe_blocks(const call_chain& chain, const std::vector<std::uint64_t>& sizes);

} // namespace linn::tool
