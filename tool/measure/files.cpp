// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path) {
    throw fs::filesystem_error{what, path, {errno, std::generic_category()}};
}

} // namespace

std::optional<std::string> read_file(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        return std::nullopt;
    }
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream file{path, std::ios::binary};
    file << text;
    if (!file.flush()) {
        fail("cannot write", path);
    }
}

temporary_folder::temporary_folder(const fs::path& parent, const std::string& prefix) {
    std::string name = (parent / (prefix + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        fail("no temporary folder", name);
    }
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace linn::tool
