// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scope_index.hpp"

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// One function at an address, with the entry of the debug information that says so.
struct debug_frame {
    Dwarf_Die die{};         ///< DW_TAG_subprogram or DW_TAG_inlined_subroutine
    const std::string* name; ///< qualified, demangled, with template arguments, as the compiler spells them
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
    bool is_inlined = false;
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

    /// The functions at an address, innermost first; empty: none known.
    std::vector<debug_frame> frames(std::uint64_t address);

    /// The function, not inlined, that holds the address; false: none.
    bool function_at(std::uint64_t address, Dwarf_Die& function);

    /// The qualified name of a function's entry, as in debug_frame::name.
    const std::string& name_of(Dwarf_Die function);

    /// The types and scopes of the unit that an entry lies in.
    scope_index& scopes_of_unit(Dwarf_Die inside);

    /// Likewise for the unit that describes a function, which with link-time optimisation is another one than that of
    /// its code.
    scope_index& scopes_of_origin(Dwarf_Die function);

    /// Whether there are types, rather than functions and lines only (-g1).
    bool has_types();

    const std::string& problem() const noexcept { return problem_; }

private:
    struct interval {
        std::uint64_t low;
        std::uint64_t high;
        Dwarf_Die die;
    };

    enum class depth : std::uint8_t { none, namespaces, types };

    struct unit {
        Dwarf_Die skeleton;          ///< with the ranges and the lines
        Dwarf_Die body;              ///< with the functions; another one for split debug information
        depth indexed = depth::none; ///< how deep its functions were looked for
        std::vector<interval> functions;
    };

    struct unit_range {
        std::uint64_t low;
        std::uint64_t high;
        std::size_t unit;
    };

    void index_units(const std::string& path);
    void index_functions(unit& one);
    void collect_functions(Dwarf_Die parent, std::vector<interval>& into, bool with_types);
    unit* unit_at(std::uint64_t address);
    const interval* function_in(unit& one, std::uint64_t address);

    Dwarf* dwarf_;
    std::vector<unit> units_;
    std::vector<unit_range> ranges_;
    std::unordered_map<const void*, std::string> names_;
    std::unordered_map<const void*, std::unique_ptr<scope_index>> scopes_;
    std::string problem_;
    int has_types_ = -1;
};

/// The entry that describes a function for all its copies: abstract origins and specifications followed.
Dwarf_Die origin_of(Dwarf_Die die);

/// A file's name with the folder that the compiler worked in, where the name is relative: DWARF 5 leaves that to its
/// readers.
std::string with_folder(const char* file, Dwarf_Die& unit);

/// The value of an attribute that is a number; 0: the entry has none.
unsigned number_of(Dwarf_Die& die, unsigned attribute_name);

/// Whether any range of the entry holds the address.
bool covers(Dwarf_Die& die, std::uint64_t address);

} // namespace linn::tool
