// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// A library looked for: its path, or the reason why there is none.
struct found_library {
    std::filesystem::path path; ///< resolved, empty when not found
    std::string problem;        ///< empty when found
};

/// The directories that the dynamic loader searches, in its order.
std::vector<std::filesystem::path> library_directories();

/// Looks for a catalogued allocator in `directories`; a library of another architecture does not count.
found_library find_library(const known_allocator& allocator,
                           const std::vector<std::filesystem::path>& directories);

/// Checks a path that the user gave.
found_library check_library(const std::filesystem::path& path);

} // namespace linn::tool
