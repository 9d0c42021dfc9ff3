// SPDX-License-Identifier: Apache-2.0
#include "companion.hpp"

#include <fmt/format.h>

namespace linn::tool {

std::filesystem::path companion(std::string_view name) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const std::filesystem::path& directory : {self, self.parent_path() / "libexec" / "linn"}) {
        if (std::filesystem::exists(directory / name, error)) {
            return directory / name;
        }
    }
    return self / name;
}

std::filesystem::path preload_companion(std::string_view name, std::string& problem) {
    const std::filesystem::path library = companion(name);
    std::error_code error;
    if (!std::filesystem::exists(library, error)) {
        problem =
            fmt::format("{}, which is a part of linn, is missing: install linn again", library.string());
    } else if (library.string().find_first_of(" :\t") != std::string::npos) {
        problem = fmt::format("{} cannot be preloaded: LD_PRELOAD cannot carry a path with spaces or colons; "
                              "install linn elsewhere",
                              library.string());
    }
    return library;
}

} // namespace linn::tool
