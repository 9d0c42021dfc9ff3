// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
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
    bool definition(const std::string& type, Dwarf_Die& found) { return find(type, found); }

    /// Whether the type has virtual functions, as far as the unit says.
    bool is_polymorphic(const std::string& type);

    /// Whether the unit holds any class or basic type.
    bool has_types() const noexcept { return !types_.empty(); }

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
    bool find(const std::string& type, Dwarf_Die& found);

    std::vector<scope> scopes_;
    std::unordered_map<std::string_view, std::vector<Dwarf_Die>> types_; ///< by name without arguments
    std::unordered_map<std::string, std::optional<Dwarf_Die>> found_;
};

/// sizeof of the type that an entry describes, behind typedefs and qualifiers; nothing where it does not say.
std::optional<std::uint64_t> size_of_type(Dwarf_Die type);

/// The type of an entry, without typedefs, const and volatile; false: it has none.
bool bare_type(Dwarf_Die entry, Dwarf_Die& type);

} // namespace linn::tool
