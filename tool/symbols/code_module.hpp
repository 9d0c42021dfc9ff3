// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program/elf_file.hpp"
#include "cxx_name.hpp"
#include "symbolizer.hpp"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// The namespaces, classes and functions of one unit, each with the range of entries inside of it, and its types by
/// name: DWARF knows no way up from an entry to its parent, and no way from a name to an entry.
class scope_index {
public:
    explicit scope_index(Dwarf_Die unit);

    /// The name of an entry with those of its parents: "shape::Circle".
    std::string qualified_name(Dwarf_Die die) const;

    /// sizeof of a type, by its readable name; nothing where the unit does not say.
    std::optional<std::uint64_t> size_of(const std::string& type);

    /// The entry that defines a class, struct, union or enumeration; false: the unit has none.
    bool definition(const std::string& type, Dwarf_Die& found);

    /// Whether the type has virtual functions, as far as the unit says.
    bool is_polymorphic(const std::string& type);

private:
    struct scope {
        const void* begin;
        const void* end;
        Dwarf_Die die;
        std::size_t parent;
    };

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void walk(Dwarf_Die parent, std::size_t around, const void* end);
    std::size_t scope_around(const void* entry) const;

    std::vector<scope> scopes_;
    std::unordered_map<std::string_view, std::vector<Dwarf_Die>> types_; ///< by name without arguments
    std::unordered_map<std::string, std::optional<Dwarf_Die>> found_;
};

/// sizeof of the type that an entry describes, behind typedefs and qualifiers; nothing where it does not say.
std::optional<std::uint64_t> size_of_type(Dwarf_Die type);

/// The type of an entry, without typedefs, const and volatile; false: it has none.
bool bare_type(Dwarf_Die entry, Dwarf_Die& type);

class code_module;

/// One function at an address, inlined ones included.
struct known_frame {
    symbol_frame shown;
    /// Qualified, demangled, without parameters, as the compiler spells it; empty: not known.
    std::string name;
    std::vector<name_part> scopes; ///< of the name
    Dwarf_Die die{}; ///< DW_TAG_subprogram or DW_TAG_inlined_subroutine; without an address: none
    code_module* module = nullptr;
    std::uint64_t address = 0; ///< of the call, or inside of it
    bool is_system = false;    ///< not the user's own code
    /// That it allocates for a container: T of `std::allocator<T>::allocate`; empty: it names none.
    std::string element = {};

    bool has_die() const noexcept { return die.addr != nullptr; }
};

/// DWARF of one module. Units are found by address through an index of their ranges; a unit's functions are indexed
/// when the first address falls into it, a function's inlined calls are descended on demand. libdw's own lookups walk
/// all entries of a unit for each address.
class debug_info {
public:
    /// `dwarf` must outlive the object; `path` is the file that it lies in.
    debug_info(Dwarf* dwarf, const std::string& path);
    debug_info(const debug_info&) = delete;
    debug_info& operator=(const debug_info&) = delete;

    /// The functions at an address, innermost first; empty: none known. They have no scopes, nor a function to be shown.
    std::vector<known_frame> frames(std::uint64_t address);

    /// The function, not inlined, that holds the address; false: none.
    bool function_at(std::uint64_t address, Dwarf_Die& function);

    /// The qualified name of a function's entry, as in known_frame::name.
    const std::string& name_of(Dwarf_Die function);

    /// The types and scopes of the unit that an entry lies in.
    scope_index& scopes_of_unit(Dwarf_Die inside);

    /// Likewise for the unit that describes a function, which with link-time optimisation is another one than that of
    /// its code.
    scope_index& scopes_of_origin(Dwarf_Die function);

    /// Whether there are types, rather than functions and lines only (-g1).
    bool has_types() const;

    const std::string& problem() const noexcept { return problem_; }

private:
    struct interval {
        std::uint64_t low;
        std::uint64_t high;
        Dwarf_Die die;
    };

    struct unit {
        Dwarf_Die skeleton; ///< with the ranges and the lines
        Dwarf_Die body;     ///< with the functions; another one for split debug information
        bool is_indexed = false;
        std::vector<interval> functions;
    };

    struct unit_range {
        std::uint64_t low;
        std::uint64_t high;
        std::size_t unit;
    };

    void index_units(const std::string& path);
    void collect_functions(Dwarf_Die parent, std::vector<interval>& into);
    unit* unit_at(std::uint64_t address);
    const interval* function_in(unit& one, std::uint64_t address);

    Dwarf* dwarf_;
    std::vector<unit> units_;
    std::vector<unit_range> ranges_;
    std::unordered_map<const void*, std::string> names_;
    std::unordered_map<const void*, std::unique_ptr<scope_index>> scopes_;
    std::string problem_;
};

/// The entry that describes a function for all its copies: abstract origins and specifications followed.
Dwarf_Die origin_of(Dwarf_Die die);

/// A file's name with the folder that the compiler worked in, where the name is relative: DWARF 5 leaves that to its
/// readers.
std::string with_folder(const char* file, Dwarf_Die& unit);

/// The value of an attribute that is a number; 0: the entry has none.
unsigned number_of(Dwarf_Die& die, unsigned attribute_name);

/// Whether `test` holds for a child of an entry. It is not asked about the children after that one.
template <class Test>
bool any_child(Dwarf_Die parent, Test test) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        if (test(child)) {
            return true;
        }
    }
    return false;
}

/// Calls `take(low, high)` for each range of addresses of an entry. Those at 0 belong to functions that the linker
/// left out.
template <class Take>
void each_range(Dwarf_Die& die, Take take) {
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    ptrdiff_t offset = 0;
    while ((offset = ::dwarf_ranges(&die, offset, &base, &low, &high)) > 0) {
        if (low != 0 && low < high) {
            take(low, high);
        }
    }
}

/// Whether any range of the entry holds the address.
bool covers(Dwarf_Die& die, std::uint64_t address);

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
    void take_functions(Dwfl_Module* module);

    struct session_end {
        void operator()(Dwfl* session) const noexcept { ::dwfl_end(session); }
    };

    const std::string path_;
    const symbol_options options_;
    std::string search_path_ = "+:.debug";
    char* search_path_text_ = nullptr;
    Dwfl_Callbacks callbacks_{};
    // The order matters: the debug information reads from the session.
    std::unique_ptr<Dwfl, session_end> session_;
    std::unique_ptr<elf_file> file_;
    std::unique_ptr<debug_info> debug_;
    std::map<std::uint64_t, elf_symbol> symbols_; ///< functions that have a name, by address
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

/// Reads what the compiler says of the code behind a call.
class behind_call {
public:
    explicit behind_call(const known_frame& call) : module_(*call.module), after_(call.address + 1) {}

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
    std::uint64_t after_; ///< the return address
};

} // namespace linn::tool
