// SPDX-License-Identifier: Apache-2.0
#include "json_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace linn::tool {

std::string write_atomically(const std::string& path, const std::string& text) {
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    const auto fail = [&](int error) {
        std::remove(temporary.c_str());
        return fmt::format("cannot write {}: {}", path, std::strerror(error));
    };
    std::FILE* file = std::fopen(temporary.c_str(), "wxe");
    if (file == nullptr)
        return fail(errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
    const int error = errno;
    if (std::fclose(file) != 0 || !written)
        return fail(written ? errno : error);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
        return fail(errno);
    return {};
}

} // namespace linn::tool
