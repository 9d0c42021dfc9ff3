// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "debug_info.hpp"
#include "elf_file.hpp"
#include "symbolizer.hpp"

#include <elfutils/libdwfl.h>

#include <memory>
#include <string>
#include <unordered_map>
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

/// One module: its file, its debug information wherever it lies, its symbols.
class code_module {
public:
    code_module(const std::string& path, const std::string& build_id, const symbol_options& options);

    const module_symbols& about() const noexcept { return about_; }
    /// The functions at an address, innermost first; one without a name at least. Cached.
    const std::vector<known_frame>& at(std::uint64_t address);
    debug_info* debug() noexcept { return debug_.get(); }

    /// The symbol whose function holds the address; null: none.
    const elf_symbol* symbol_at(std::uint64_t address) const;

    /// The function that the instruction at an address calls; false: it is no direct call, or the function is not known.
    bool called_at(std::uint64_t address, Dwarf_Die& function);

private:
    // The order matters: the debug information reads from the files.
    std::unique_ptr<elf_file> file_;
    std::unique_ptr<debug_file> debug_file_;
    std::unique_ptr<debug_info> debug_;
    std::vector<elf_symbol> symbols_;
    module_symbols about_;
    std::unordered_map<std::uint64_t, std::vector<known_frame>> addresses_;
};

} // namespace linn::tool
