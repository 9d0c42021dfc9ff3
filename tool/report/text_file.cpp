// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <fmt/format.h>
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
    if (std::fclose(file) != 0 && written)
        return errno;
    return written ? 0 : error;
}

} // namespace

std::string write_atomically(const std::string& path, const std::string& text) {
    const auto problem = [&](int error) {
        return fmt::format("cannot write {}: {}", path, std::strerror(error));
    };
    std::error_code unknown;
    // A link keeps pointing where it points; a device or a pipe is written to, not replaced.
    const fs::path resolved = fs::weakly_canonical(path, unknown);
    const std::string place = unknown ? path : resolved.string();
    if (const fs::file_status status = fs::status(place, unknown);
        fs::exists(status) && !fs::is_regular_file(status)) {
        std::FILE* file = std::fopen(place.c_str(), "we");
        const int error = file == nullptr ? errno : write_all(file, text, false);
        return error == 0 ? std::string{} : problem(error);
    }

    const std::string temporary = fmt::format("{}.{}.tmp", place, ::getpid());
    std::FILE* file = std::fopen(temporary.c_str(), "wxe");
    int error = file == nullptr ? errno : write_all(file, text, true);
    if (error == 0 && std::rename(temporary.c_str(), place.c_str()) != 0)
        error = errno;
    if (error == 0)
        return {};
    std::remove(temporary.c_str());
    return problem(error);
}

} // namespace linn::tool
