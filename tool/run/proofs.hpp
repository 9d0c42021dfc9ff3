// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.hpp"

#include <filesystem>
#include <vector>

namespace linn::tool {

/// Reads what the probe wrote, in the order of the processes' starts. A damaged tail is left out.
std::vector<process_proof> read_proofs(const std::filesystem::path& file);

} // namespace linn::tool
