// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace linn::tool {

/// The whole content of a file; nothing when it cannot be read, with the reason in `errno`.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Makes a file with this content, or replaces it. @throws std::filesystem::filesystem_error
void write_file(const std::filesystem::path& path, const std::string& text);

/// A private folder, removed with everything in it.
class temporary_folder {
public:
    /// Makes `prefix`XXXXXX in `parent`. @throws std::filesystem::filesystem_error
    temporary_folder(const std::filesystem::path& parent, const std::string& prefix);
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace linn::tool
