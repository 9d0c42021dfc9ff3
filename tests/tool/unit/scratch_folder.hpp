// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace linn::tool::testing {

/// A folder that goes away with everything in it.
class scratch_folder {
public:
    scratch_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "linn-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all,
                                     ignored); // a test may have taken them
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const noexcept { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

    /// A new file with that text.
    std::filesystem::path file(std::string_view name, std::string_view text, bool is_program = false) const {
        std::ofstream{path_ / name} << text;
        if (is_program) {
            std::filesystem::permissions(path_ / name, std::filesystem::perms{0755});
        }
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

} // namespace linn::tool::testing
