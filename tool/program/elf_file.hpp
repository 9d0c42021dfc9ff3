// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gelf.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// An ELF file, open for reading.
class elf_file {
public:
    /// Null where the file cannot be opened or is no ELF file.
    static std::unique_ptr<elf_file> open(const std::string& path);
    elf_file(const elf_file&) = delete;
    elf_file& operator=(const elf_file&) = delete;
    ~elf_file();

    ::Elf* get() const noexcept { return elf_; }
    const std::string& path() const noexcept { return path_; }

    std::string build_id() const; ///< in hexadecimal; empty: none
    bool has_section(const char* name) const;

    std::vector<GElf_Phdr> segments(unsigned type) const;

    /// The dynamic loader that a program names; empty: it is static.
    std::string interpreter() const;

    /// Where the first byte of the file is mapped, before any bias.
    std::uint64_t first_address() const;

    /// Calls `visit` with each symbol of the tables of a type, SHT_SYMTAB or SHT_DYNSYM, and with its name.
    void each_symbol(unsigned type,
                     const std::function<void(const GElf_Sym&, std::string_view)>& visit) const;

    /// What the file holds for an address that is mapped from it; may be shorter than asked for.
    std::span<const unsigned char> bytes_at(std::uint64_t address, std::size_t bytes) const;

private:
    elf_file() = default;

    std::string path_;
    int descriptor_ = -1;
    ::Elf* elf_ = nullptr;
};

} // namespace linn::tool
