// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linn::tool {

/// The package that a file belongs to.
struct debian_package {
    std::string name;
    std::string version;
};

/// The packages that the files belong to, by the file's path; files of no package are left out, and so is everything
/// where there is no dpkg.
std::map<std::filesystem::path, debian_package> packages_of(const std::vector<std::filesystem::path>& files,
                                                            const interrupt_guard& guard);

/// "2.0.9+ds-1" as upstream says it: without epoch and Debian's own part.
std::string upstream_version(const std::string& version);

} // namespace linn::tool
