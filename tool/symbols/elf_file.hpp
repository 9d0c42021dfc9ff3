// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct Elf;
struct Elf_Scn;

namespace linn::tool {

/// A function or an object that an ELF symbol table names.
struct elf_symbol {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name; ///< mangled
};

/// An ELF file, open for reading, or a part of memory that holds one.
class elf_file {
public:
    /// Null where the file cannot be opened or is no ELF file.
    static std::unique_ptr<elf_file> open(const std::string& path);
    static std::unique_ptr<elf_file> of_bytes(std::vector<char> bytes);
    elf_file(const elf_file&) = delete;
    elf_file& operator=(const elf_file&) = delete;
    ~elf_file();

    ::Elf* get() const noexcept { return elf_; }
    const std::string& path() const noexcept { return path_; }

    std::string build_id() const; ///< in hexadecimal; empty: none
    bool has_section(const char* name) const;
    std::string section_text(const char* name) const; ///< its bytes; empty: there is none
    bool has_debug_info() const;                      ///< DWARF with units in it, not lines only

    /// The name in .gnu_debuglink and its checksum; an empty name: none.
    std::pair<std::string, std::uint32_t> debug_link() const;

    /// Functions with a name: of .symtab, else of .dynsym and what .gnu_debugdata holds. Sorted by address.
    std::vector<elf_symbol> functions(bool dynamic) const;

    /// .gnu_debugdata unpacked, where it is there and liblzma can be loaded; else null.
    std::unique_ptr<elf_file> mini_debug_info() const;

    /// What the file holds for an address that is mapped from it; may be shorter than asked for.
    std::span<const unsigned char> bytes_at(std::uint64_t address, std::size_t bytes) const;

    /// The checksum that .gnu_debuglink holds, of the whole file.
    static std::uint32_t checksum(const std::string& path);

private:
    elf_file() = default;

    Elf_Scn* section(const char* name) const;

    std::string path_;
    std::vector<char> bytes_;
    int descriptor_ = -1;
    ::Elf* elf_ = nullptr;
};

} // namespace linn::tool
