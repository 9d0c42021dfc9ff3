// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace linn::tool {

namespace {

namespace fs = std::filesystem;

/// Writes and closes; returns 0 or an errno.
int write_all(std::FILE* file, const std::string& text, bool to_disk) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         std::fflush(file) == 0 && (!to_disk || ::fsync(::fileno(file)) == 0);
    const int error = errno;
    if (std::fclose(file) != 0 && written) {
        return errno;
    }
    return written ? 0 : error;
}

/// Where a chain of links ends, also one whose last file is not there yet: a link keeps pointing where it points.
std::string behind_links(const std::string& path) {
    constexpr int most = 40; // as the kernel; a loop is an error of the file that is opened then
    fs::path place = path;
    std::error_code error;
    for (int i = 0; i != most && fs::is_symlink(place, error); ++i) {
        const fs::path next = fs::read_symlink(place, error);
        if (error) {
            break;
        }
        place = place.parent_path() / next; // an absolute path replaces the folder
    }
    return place.string();
}

/// Gives the new file the permissions of the one that it replaces. Where that is not allowed, it keeps its own.
void keep_permissions(const std::string& place, int file) {
    struct stat old{};
    if (::stat(place.c_str(), &old) == 0) {
        (void)::fchmod(file, old.st_mode & 07777);
    }
}

} // namespace

std::string write_atomically(const std::string& path, const std::string& text) {
    const auto problem = [&](int error) {
        return fmt::format("cannot write {}: {}", path, std::strerror(error));
    };
    std::error_code unknown;
    const std::string place = behind_links(path);
    // A device or a pipe is written to, not replaced.
    if (const fs::file_status status = fs::status(place, unknown);
        fs::exists(status) && !fs::is_regular_file(status)) {
        std::FILE* file = std::fopen(place.c_str(), "we");
        const int error = file == nullptr ? errno : write_all(file, text, false);
        return error == 0 ? std::string{} : problem(error);
    }

    const std::string temporary = fmt::format("{}.{}.tmp", place, ::getpid());
    std::FILE* file = std::fopen(temporary.c_str(), "wxe");
    int error = file == nullptr ? errno : 0;
    if (file != nullptr) {
        keep_permissions(place, ::fileno(file));
        error = write_all(file, text, true);
    }
    if (error == 0 && std::rename(temporary.c_str(), place.c_str()) != 0) {
        error = errno;
    }
    if (error == 0) {
        return {};
    }
    if (file != nullptr) {
        std::remove(temporary.c_str());
    }
    return problem(error);
}

} // namespace linn::tool
