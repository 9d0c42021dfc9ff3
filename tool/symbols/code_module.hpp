// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "debug_info.hpp"
#include "elf_file.hpp"
#include "symbolizer.hpp"

#include <elfutils/libdwfl.h>

#include <cstdint>
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

/// One module: its file, its symbols, those of .gnu_debugdata too, and its debug information, in the module itself or in the file
/// that `strip` left it in: by build id in the debug folders, by .gnu_debuglink next to the module, in its .debug folder and in the
/// debug folders, by debuginfod where that is allowed.
class code_module {
public:
    code_module(const std::string& path, const std::string& build_id, const symbol_options& options);
    code_module(const code_module&) = delete;
    code_module& operator=(const code_module&) = delete;

    const module_symbols& about() const noexcept { return about_; }
    /// The functions at an address, innermost first; one without a name at least. Cached.
    const std::vector<known_frame>& at(std::uint64_t address);
    debug_info* debug() noexcept { return debug_.get(); }

    /// The symbol whose function holds the address; null: none.
    const elf_symbol* symbol_at(std::uint64_t address) const;

    /// The function that the instruction at an address calls; false: it is no direct call, or the function is not known.
    bool called_at(std::uint64_t address, Dwarf_Die& function);

private:
    static int find(Dwfl_Module* module, void** self, const char* name, Dwarf_Addr base, const char* file,
                    const char* link, GElf_Word checksum, char** found);
    Dwfl_Module* open_session(const std::string& file);
    std::string why_no_debug_information(const std::string& apart) const;
    std::vector<elf_symbol> functions_of(Dwfl_Module* module) const;

    struct session_end {
        void operator()(Dwfl* session) const noexcept { ::dwfl_end(session); }
    };

    const symbol_options options_;
    std::string search_path_ = "+:.debug";
    char* search_path_text_ = nullptr;
    Dwfl_Callbacks callbacks_{};
    // The order matters: the debug information reads from the session.
    std::unique_ptr<Dwfl, session_end> session_;
    std::unique_ptr<elf_file> file_;
    std::unique_ptr<debug_info> debug_;
    std::vector<elf_symbol> symbols_; ///< functions that have a name, sorted by address
    module_symbols about_;
    std::unordered_map<std::uint64_t, std::vector<known_frame>> addresses_;
};

/// A type that the debug information shows around a call of the allocator.
struct nearby_type {
    std::string type;        ///< readable; empty: nothing was found
    std::uint64_t bytes = 0; ///< 0: the debug information has no sizes (-g1)
    bool is_polymorphic = false;
};

/// What was asked for: one object of this size, or several of which the size is a multiple.
struct wanted_bytes {
    std::uint64_t bytes = 0;
    bool may_be_several = false;
    std::uint64_t most_extra = 0; ///< bytes that an allocation function may have added
    unsigned line = 0;            ///< of the source, on which the object must be made; 0: on any

    bool fits(std::uint64_t type_bytes) const noexcept {
        return type_bytes != 0 && type_bytes <= bytes &&
               (may_be_several ? bytes % type_bytes : bytes - type_bytes) <= most_extra;
    }
    bool are_several(std::uint64_t type_bytes) const noexcept {
        return may_be_several && type_bytes != 0 && bytes / type_bytes > 1;
    }
};

/// Reads what the compiler says of the code behind a call: `after` is the return address.
class behind_call {
public:
    behind_call(code_module& module, std::uint64_t after) : module_(module), after_(after) {}

    /// The function that the call names, without parameters; empty: not known, or the call is indirect.
    std::string callee();

    /// A pointer that begins to live within 24 bytes, or that is `in_frame` and declared on the line of the call, and whose
    /// pointee fits.
    nearby_type pointer(const wanted_bytes& wanted, bool in_frame = false);

    /// The class of a constructor that is inlined within 64 bytes, or called within 96, and that fits.
    nearby_type constructor(const wanted_bytes& wanted);

    /// The type of the element that a container constructs behind the call, where that was inlined; empty: none.
    std::string constructed_element();

private:
    template <class See>
    void each_near(See see);

    code_module& module_;
    std::uint64_t after_;
};

} // namespace linn::tool
