// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <gelf.h>
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

Elf_Scn* elf_file::section(const char* name) const {
    std::size_t names = 0;
    if (::elf_getshdrstrndx(elf_, &names) != 0) {
        return nullptr;
    }
    Elf_Scn* found = nullptr;
    while ((found = ::elf_nextscn(elf_, found)) != nullptr) {
        GElf_Shdr header;
        if (::gelf_getshdr(found, &header) == nullptr) {
            continue;
        }
        const char* its_name = ::elf_strptr(elf_, names, header.sh_name);
        if (its_name != nullptr && std::strcmp(its_name, name) == 0 && header.sh_type != SHT_NOBITS) {
            return found;
        }
    }
    return nullptr;
}

bool elf_file::has_section(const char* name) const {
    return section(name) != nullptr;
}

std::string elf_file::section_text(const char* name) const {
    Elf_Scn* const found = section(name);
    const Elf_Data* const data = found == nullptr ? nullptr : ::elf_rawdata(found, nullptr);
    return data == nullptr || data->d_buf == nullptr
               ? std::string{}
               : std::string{static_cast<const char*>(data->d_buf), data->d_size};
}

std::span<const unsigned char> elf_file::bytes_at(std::uint64_t address, std::size_t bytes) const {
    std::size_t count = 0;
    std::size_t size = 0;
    const char* image = ::elf_rawfile(elf_, &size);
    if (image == nullptr || ::elf_getphdrnum(elf_, &count) != 0) {
        return {};
    }
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment;
        if (::gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD ||
            address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) {
            continue;
        }
        const std::uint64_t inside = address - segment.p_vaddr;
        const std::uint64_t offset = segment.p_offset + inside;
        if (offset >= size) {
            return {};
        }
        const std::uint64_t there = std::min<std::uint64_t>(segment.p_filesz - inside, size - offset);
        return {reinterpret_cast<const unsigned char*>(image) + offset,
                static_cast<std::size_t>(std::min<std::uint64_t>(bytes, there))};
    }
    return {};
}

compilers compilers_of(const std::string& path) {
    compilers found;
    const auto file = elf_file::open(path);
    if (file == nullptr) {
        return found;
    }
    const std::string text = file->section_text(".comment");
    found.gcc = text.find("GCC: ") != std::string::npos;
    found.clang = text.find("clang version ") != std::string::npos;
    return found;
}

} // namespace linn::tool
