// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace linn::tool {

/// Reads `--seed`; without one (empty text) the seed is random. Returns what is wrong, or an empty string.
std::string read_seed(const std::string& text, std::uint64_t& seed);

} // namespace linn::tool
