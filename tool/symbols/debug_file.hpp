// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf_file.hpp"
#include "symbolizer.hpp"

#include <elfutils/libdwfl.h>

#include <string>
#include <vector>

namespace linn::tool {

/// A function that a symbol table names.
struct elf_symbol {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name; ///< mangled
};

/// What libdwfl finds for a module: the debug information, in the module itself or in the file that `strip` left it in (by
/// build id in the debug folders, by .gnu_debuglink next to the module, in its .debug folder and in the debug folders, by
/// debuginfod where that is allowed), and the symbols, those of .gnu_debugdata too.
class debug_file {
public:
    debug_file(const elf_file& module, const symbol_options& options);
    debug_file(const debug_file&) = delete;
    debug_file& operator=(const debug_file&) = delete;
    ~debug_file();

    Dwarf* dwarf() const noexcept { return dwarf_; }           ///< null: none; lives as long as this
    const std::string& path() const noexcept { return path_; } ///< the file apart; empty: the module itself

    /// A sentence on what kept debug information from being found, where something can be done about it.
    const std::string& problem() const noexcept { return problem_; }

    /// The functions that have a name, sorted by address.
    std::vector<elf_symbol> functions() const;

private:
    static int find(Dwfl_Module* module, void** self, const char* name, Dwarf_Addr base, const char* file,
                    const char* link, GElf_Word checksum, char** found);
    std::string reason(const elf_file& module) const;

    symbol_options options_;
    std::string search_path_;
    char* search_path_text_;
    Dwfl_Callbacks callbacks_{};
    Dwfl* session_ = nullptr;
    Dwfl_Module* module_ = nullptr;
    Dwarf* dwarf_ = nullptr;
    std::string path_;
    std::string problem_;
};

} // namespace linn::tool
