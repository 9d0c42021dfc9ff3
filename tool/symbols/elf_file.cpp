// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

namespace linn::tool {

namespace {

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += digits[bytes[i] >> 4U];
        out += digits[bytes[i] & 0xfU];
    }
    return out;
}

/// liblzma's decoder without its headers: only distributions that pack .gnu_debugdata need it.
std::vector<char> unpack_xz(const char* from, std::size_t bytes) {
    void* library = ::dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return {};
    using decode_type = int (*)(std::uint64_t*, std::uint32_t, const void*, const std::uint8_t*, std::size_t*,
                                std::size_t, std::uint8_t*, std::size_t*, std::size_t);
    const auto decode = reinterpret_cast<decode_type>(::dlsym(library, "lzma_stream_buffer_decode"));
    constexpr int buffer_too_small = 10; // LZMA_BUF_ERROR
    constexpr std::size_t limit = std::size_t{64} << 20U;
    std::vector<char> out;
    for (std::size_t room = bytes * 6 + 4096; decode != nullptr && room <= limit; room *= 2) {
        out.resize(room);
        std::uint64_t memory = UINT64_MAX;
        std::size_t read = 0;
        std::size_t written = 0;
        const int result = decode(&memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(from), &read,
                                  bytes, reinterpret_cast<std::uint8_t*>(out.data()), &written, room);
        out.resize(result == 0 ? written : 0);
        if (result != buffer_too_small)
            break;
    }
    ::dlclose(library);
    return out;
}

} // namespace

std::unique_ptr<elf_file> elf_file::open(const std::string& path) {
    ::elf_version(EV_CURRENT);
    std::unique_ptr<elf_file> file(new elf_file);
    file->path_ = path;
    file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor_ < 0)
        return nullptr;
    file->elf_ = ::elf_begin(file->descriptor_, ELF_C_READ_MMAP, nullptr);
    if (file->elf_ == nullptr || ::elf_kind(file->elf_) != ELF_K_ELF)
        return nullptr;
    return file;
}

std::unique_ptr<elf_file> elf_file::of_bytes(std::vector<char> bytes) {
    ::elf_version(EV_CURRENT);
    std::unique_ptr<elf_file> file(new elf_file);
    file->bytes_ = std::move(bytes);
    file->elf_ = ::elf_memory(file->bytes_.data(), file->bytes_.size());
    if (file->elf_ == nullptr || ::elf_kind(file->elf_) != ELF_K_ELF)
        return nullptr;
    return file;
}

elf_file::~elf_file() {
    if (elf_ != nullptr)
        ::elf_end(elf_);
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

std::string elf_file::build_id() const {
    const void* bytes = nullptr;
    const ssize_t count = ::dwelf_elf_gnu_build_id(elf_, &bytes);
    return count > 0 ? hexadecimal(static_cast<const unsigned char*>(bytes), static_cast<std::size_t>(count))
                     : std::string();
}

Elf_Scn* elf_file::section(const char* name) const {
    std::size_t names = 0;
    if (::elf_getshdrstrndx(elf_, &names) != 0)
        return nullptr;
    Elf_Scn* found = nullptr;
    while ((found = ::elf_nextscn(elf_, found)) != nullptr) {
        GElf_Shdr header;
        if (::gelf_getshdr(found, &header) == nullptr)
            continue;
        const char* its_name = ::elf_strptr(elf_, names, header.sh_name);
        if (its_name != nullptr && std::strcmp(its_name, name) == 0 && header.sh_type != SHT_NOBITS)
            return found;
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

bool elf_file::has_debug_info() const {
    return has_section(".debug_info") || has_section(".zdebug_info");
}

std::pair<std::string, std::uint32_t> elf_file::debug_link() const {
    GElf_Word sum = 0;
    const char* name = ::dwelf_elf_gnu_debuglink(elf_, &sum);
    return {name == nullptr ? std::string() : std::string(name), sum};
}

std::vector<elf_symbol> elf_file::functions(bool dynamic) const {
    std::vector<elf_symbol> found;
    Elf_Scn* table = section(dynamic ? ".dynsym" : ".symtab");
    GElf_Shdr header;
    if (table == nullptr || ::gelf_getshdr(table, &header) == nullptr || header.sh_entsize == 0)
        return found;
    Elf_Data* data = ::elf_getdata(table, nullptr);
    const std::size_t count = header.sh_size / header.sh_entsize;
    for (std::size_t i = 0; data != nullptr && i < count; ++i) {
        GElf_Sym symbol;
        if (::gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr)
            break;
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_value == 0)
            continue;
        const char* name = ::elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr && name[0] != '\0')
            found.push_back({symbol.st_value, symbol.st_size, name});
    }
    std::sort(found.begin(), found.end(), [](const elf_symbol& left, const elf_symbol& right) {
        // Of several names for one address the longest range, then the first by name: the answer must not depend on chance.
        if (left.address != right.address)
            return left.address < right.address;
        return left.bytes != right.bytes ? left.bytes > right.bytes : left.name < right.name;
    });
    return found;
}

std::unique_ptr<elf_file> elf_file::mini_debug_info() const {
    Elf_Scn* packed = section(".gnu_debugdata");
    Elf_Data* data = packed == nullptr ? nullptr : ::elf_rawdata(packed, nullptr);
    if (data == nullptr || data->d_buf == nullptr)
        return nullptr;
    std::vector<char> bytes = unpack_xz(static_cast<const char*>(data->d_buf), data->d_size);
    return bytes.empty() ? nullptr : of_bytes(std::move(bytes));
}

std::span<const unsigned char> elf_file::bytes_at(std::uint64_t address, std::size_t bytes) const {
    std::size_t count = 0;
    std::size_t size = 0;
    const char* image = ::elf_rawfile(elf_, &size);
    if (image == nullptr || ::elf_getphdrnum(elf_, &count) != 0)
        return {};
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment;
        if (::gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD ||
            address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
            continue;
        const std::uint64_t inside = address - segment.p_vaddr;
        const std::uint64_t offset = segment.p_offset + inside;
        if (offset >= size)
            return {};
        const std::uint64_t there = std::min<std::uint64_t>(segment.p_filesz - inside, size - offset);
        return {reinterpret_cast<const unsigned char*>(image) + offset,
                static_cast<std::size_t>(std::min<std::uint64_t>(bytes, there))};
    }
    return {};
}

std::uint32_t elf_file::checksum(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::array<char, 65536> buffer;
    uLong sum = ::crc32(0, nullptr, 0);
    while (in) {
        in.read(buffer.data(), buffer.size());
        sum = ::crc32(sum, reinterpret_cast<const Bytef*>(buffer.data()), static_cast<uInt>(in.gcount()));
    }
    return static_cast<std::uint32_t>(sum);
}

} // namespace linn::tool
