// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "catalogue.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// A library looked for: its path, or the reason why there is none.
struct found_library {
    std::filesystem::path path;      ///< resolved, empty when not found
    std::string problem;             ///< empty when found
    std::string cached_version = {}; ///< of one that `linn allocators --install` built; empty: it did not
};

/// The directories that the dynamic loader searches, in its order, and those of LLVM's runtime.
std::vector<std::filesystem::path> library_directories();

/// The folder in which `linn allocators --install` builds: $XDG_CACHE_HOME/linn/allocators, by default below ~/.cache.
/// Empty when neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();

/// The newest built copy of a catalogued allocator in that folder, below NAME/VERSION/.
found_library find_cached(const known_allocator& allocator, const std::filesystem::path& cache);

/// Looks for a catalogued allocator in `directories`; a library of another architecture does not count.
found_library find_library(const known_allocator& allocator,
                           const std::vector<std::filesystem::path>& directories);

/// Checks a path that the user gave.
found_library check_library(const std::filesystem::path& path);

/// Orders versions as people do: 9 before 10, 2.0 before 2.0.1.
bool is_older(const std::string& a, const std::string& b);

/// A package of the system.
struct debian_package {
    std::string name;
    std::string version;
};

/// The package that the file belongs to; without a name where there is none, or no dpkg.
debian_package package_of(const std::filesystem::path& file, const interrupt_guard& guard);

/// "2.0.9+ds-1" as upstream says it: without epoch and Debian's own part.
std::string upstream_version(const std::string& version);

} // namespace linn::tool
