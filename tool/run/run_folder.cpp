// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

bool can_be_preloaded(const std::string& path) {
    return path.find_first_of(" :;$\t\n") == std::string::npos;
}

fs::path preloadable_parent() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    return error || !folder.is_absolute() || !can_be_preloaded(folder.string()) ? fs::path{"/tmp"} : folder;
}

} // namespace

run_folder::run_folder() : folder_{preloadable_parent(), "linn-run-"} {
    ::chmod(folder_.path().c_str(), 0711); // to be passed through, not to be listed
    const int fd = ::open(records().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::fchmod(fd, 0622);
        ::close(fd);
    }
}

std::string run_folder::preloadable(const fs::path& library) {
    if (can_be_preloaded(library.string())) {
        return library.string();
    }
    for (int i = 0;; ++i) {
        const fs::path link = folder_.path() / (std::to_string(i) + ".so");
        std::error_code error;
        fs::create_symlink(library, link, error);
        if (error != std::errc::file_exists) {
            return link.string();
        }
    }
}

struct captured_output::mapping {
    const char* data = nullptr;
    std::size_t size = 0;

    mapping(const char* d, std::size_t s) noexcept : data(d), size(s) {}
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    ~mapping() { ::munmap(const_cast<char*>(data), size); }
};

captured_output::captured_output(int fd) noexcept {
    if (fd < 0) {
        return;
    }
    // Should a writer have escaped, it can no longer pull the pages from under the mapping.
    ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    struct stat s{};
    if (::fstat(fd, &s) == 0 && s.st_size > 0) {
        const auto size = static_cast<std::size_t>(s.st_size);
        void* const p = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED) {
            mapping_ = std::make_shared<const mapping>(static_cast<const char*>(p), size);
        }
    }
    ::close(fd);
}

std::uint64_t captured_output::size() const noexcept {
    return mapping_ == nullptr ? 0 : mapping_->size;
}

std::string_view captured_output::text() const noexcept {
    return mapping_ == nullptr ? std::string_view{} : std::string_view{mapping_->data, mapping_->size};
}

std::string captured_output::tail(std::size_t lines, std::size_t bytes) const {
    std::string_view all = text();
    while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) {
        all.remove_suffix(1);
    }
    std::size_t begin = all.size();
    for (std::size_t left = lines; begin != 0 && all.size() - begin < bytes; --begin) {
        if (all[begin - 1] == '\n' && --left == 0) {
            break;
        }
    }
    if (lines == 0) {
        return {};
    }
    all.remove_prefix(begin);
    // Not from the middle of a character.
    while (!all.empty() && begin != 0 && (static_cast<unsigned char>(all.front()) & 0xc0u) == 0x80u) {
        all.remove_prefix(1);
    }
    std::string clean;
    for (const char c : all) {
        if (const auto u = static_cast<unsigned char>(c);
            c == '\n' || c == '\t' || (u >= 0x20 && u != 0x7f)) {
            clean += c;
        }
    }
    return clean;
}

bool captured_output::operator==(const captured_output& other) const noexcept {
    return mapping_ == other.mapping_ || text() == other.text();
}

} // namespace linn::tool
