// SPDX-License-Identifier: Apache-2.0
#include "companion.hpp"

namespace linn::tool {

std::filesystem::path companion(std::string_view name) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const std::filesystem::path& directory : {self, self.parent_path() / "libexec" / "linn"})
        if (std::filesystem::exists(directory / name, error))
            return directory / name;
    return self / name;
}

} // namespace linn::tool
