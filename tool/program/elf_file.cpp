// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace linn::tool {

std::unique_ptr<elf_file> elf_file::open(const std::string& path) {
    ::elf_version(EV_CURRENT);
    std::unique_ptr<elf_file> file(new elf_file);
    file->path_ = path;
    file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor_ < 0) {
        return nullptr;
    }
    file->elf_ = ::elf_begin(file->descriptor_, ELF_C_READ_MMAP, nullptr);
    if (file->elf_ == nullptr || ::elf_kind(file->elf_) != ELF_K_ELF) {
        return nullptr;
    }
    return file;
}

elf_file::~elf_file() {
    if (elf_ != nullptr) {
        ::elf_end(elf_);
    }
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::string elf_file::build_id() const {
    const void* id = nullptr;
    const ssize_t count = ::dwelf_elf_gnu_build_id(elf_, &id);
    const auto* const bytes = static_cast<const unsigned char*>(id);
    return count > 0 ? fmt::format("{:02x}", fmt::join(bytes, bytes + count, "")) : std::string();
}

bool elf_file::has_section(const char* name) const {
    std::size_t names = 0;
    if (::elf_getshdrstrndx(elf_, &names) != 0) {
        return false;
    }
    Elf_Scn* section = nullptr;
    while ((section = ::elf_nextscn(elf_, section)) != nullptr) {
        GElf_Shdr header;
        if (::gelf_getshdr(section, &header) == nullptr) {
            continue;
        }
        const char* const its_name = ::elf_strptr(elf_, names, header.sh_name);
        if (its_name != nullptr && std::strcmp(its_name, name) == 0 && header.sh_type != SHT_NOBITS) {
            return true;
        }
    }
    return false;
}

std::vector<GElf_Phdr> elf_file::segments(unsigned type) const {
    std::size_t count = 0;
    std::vector<GElf_Phdr> found;
    ::elf_getphdrnum(elf_, &count);
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment;
        if (::gelf_getphdr(elf_, static_cast<int>(i), &segment) != nullptr && segment.p_type == type) {
            found.push_back(segment);
        }
    }
    return found;
}

std::string elf_file::interpreter() const {
    for (const GElf_Phdr& segment : segments(PT_INTERP)) {
        std::size_t size = 0;
        const char* const image = ::elf_rawfile(elf_, &size);
        if (image != nullptr && segment.p_offset < size) {
            const std::string_view rest(image + segment.p_offset,
                                        std::min<std::size_t>(segment.p_filesz, size - segment.p_offset));
            return std::string(rest.substr(0, rest.find('\0')));
        }
    }
    return {};
}

std::uint64_t elf_file::first_address() const {
    const std::vector<GElf_Phdr> loaded = segments(PT_LOAD);
    return loaded.empty() ? 0 : loaded.front().p_vaddr - loaded.front().p_offset;
}

void elf_file::each_symbol(unsigned type,
                           const std::function<void(const GElf_Sym&, std::string_view)>& visit) const {
    Elf_Scn* section = nullptr;
    while ((section = ::elf_nextscn(elf_, section)) != nullptr) {
        GElf_Shdr header;
        Elf_Data* data = nullptr;
        if (::gelf_getshdr(section, &header) == nullptr || header.sh_type != type ||
            (data = ::elf_getdata(section, nullptr)) == nullptr) {
            continue;
        }
        GElf_Sym symbol;
        for (int i = 0; ::gelf_getsym(data, i, &symbol) != nullptr; ++i) {
            const char* const name = ::elf_strptr(elf_, header.sh_link, symbol.st_name);
            visit(symbol, name == nullptr ? std::string_view{} : name);
        }
    }
}

std::span<const unsigned char> elf_file::bytes_at(std::uint64_t address, std::size_t bytes) const {
    std::size_t size = 0;
    const char* const image = ::elf_rawfile(elf_, &size);
    for (const GElf_Phdr& segment : segments(PT_LOAD)) {
        const std::uint64_t inside = address - segment.p_vaddr;
        const std::uint64_t offset = segment.p_offset + inside;
        if (address >= segment.p_vaddr && inside < segment.p_filesz && image != nullptr && offset < size) {
            const std::uint64_t there = std::min<std::uint64_t>(segment.p_filesz - inside, size - offset);
            return {reinterpret_cast<const unsigned char*>(image) + offset,
                    static_cast<std::size_t>(std::min<std::uint64_t>(bytes, there))};
        }
    }
    return {};
}

} // namespace linn::tool
