// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cxx_name.hpp"
#include "symbolizer.hpp"

#include <elfutils/libdw.h>

#include <cstdint>
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

/// One function at an address.
struct known_frame {
    symbol_frame shown; ///< as a report has it
    /// Qualified, demangled, without parameters, as the compiler spells it; empty: not known.
    std::string name;
    std::vector<name_part> scopes; ///< of the name
    Dwarf_Die die{}; ///< DW_TAG_subprogram or DW_TAG_inlined_subroutine; without an address: none

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

} // namespace linn::tool
