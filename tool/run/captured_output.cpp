// SPDX-License-Identifier: Apache-2.0
#include "captured_output.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace linn::tool {

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
