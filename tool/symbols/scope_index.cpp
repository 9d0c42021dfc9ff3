// SPDX-License-Identifier: Apache-2.0
#include "scope_index.hpp"

#include "cxx_name.hpp"

#include <dwarf.h>

#include <algorithm>

namespace linn::tool {

namespace {

/// The name without template arguments, as a view of the name itself.
std::string_view base_name(std::string_view name) {
    const std::size_t open = name.find('<', 1);
    return name.substr(0, open);
}

bool is_scope(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

bool is_type(int tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type || tag == DW_TAG_typedef;
}

} // namespace

bool bare_type(Dwarf_Die entry, Dwarf_Die& type) {
    Dwarf_Attribute attribute;
    if (::dwarf_attr_integrate(&entry, DW_AT_type, &attribute) == nullptr ||
        ::dwarf_formref_die(&attribute, &type) == nullptr) {
        return false;
    }
    for (int tag = ::dwarf_tag(&type); tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
                                       tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type;
         tag = ::dwarf_tag(&type)) {
        if (::dwarf_attr_integrate(&type, DW_AT_type, &attribute) == nullptr ||
            ::dwarf_formref_die(&attribute, &type) == nullptr) {
            return false;
        }
    }
    return true;
}

std::optional<std::uint64_t> size_of_type(Dwarf_Die type) {
    Dwarf_Word bytes = 0;
    if (::dwarf_aggregate_size(&type, &bytes) != 0 || bytes == 0) {
        return std::nullopt;
    }
    return bytes;
}

scope_index::scope_index(Dwarf_Die unit) {
    walk(unit, none, nullptr);
}

void scope_index::walk(Dwarf_Die parent, std::size_t around, const void* end) {
    Dwarf_Die child;
    if (::dwarf_child(&parent, &child) != 0) {
        return;
    }
    for (bool more = true; more;) {
        Dwarf_Die next;
        more = ::dwarf_siblingof(&child, &next) == 0;
        const void* child_end = more ? next.addr : end;
        const int tag = ::dwarf_tag(&child);
        if (is_type(tag)) {
            const char* name = ::dwarf_diename(&child);
            if (name != nullptr && ::dwarf_hasattr(&child, DW_AT_declaration) == 0) {
                types_[base_name(name)].push_back(child);
            }
        }
        if (::dwarf_haschildren(&child) > 0) {
            if (is_scope(tag)) {
                scopes_.push_back({child.addr, child_end, child, around});
                walk(child, scopes_.size() - 1, child_end);
            } else if (tag == DW_TAG_lexical_block) {
                walk(child, around, child_end);
            }
        }
        child = next;
    }
}

std::size_t scope_index::scope_around(const void* entry) const {
    // Scopes are in the order of the file, so the last one that begins before is inside of all that hold it.
    const auto behind = std::lower_bound(scopes_.begin(), scopes_.end(), entry,
                                         [](const scope& one, const void* at) { return one.begin < at; });
    std::size_t at =
        behind == scopes_.begin() ? none : static_cast<std::size_t>(behind - scopes_.begin()) - 1;
    while (at != none && scopes_[at].end != nullptr && scopes_[at].end <= entry) {
        at = scopes_[at].parent;
    }
    return at;
}

std::string scope_index::qualified_name(Dwarf_Die die) const {
    const char* own = ::dwarf_diename(&die);
    std::string name = own != nullptr ? own : "";
    for (std::size_t at = scope_around(die.addr); at != none; at = scopes_[at].parent) {
        Dwarf_Die outer = scopes_[at].die;
        Dwarf_Attribute attribute;
        if (::dwarf_tag(&outer) == DW_TAG_namespace &&
            ::dwarf_attr(&outer, DW_AT_name, &attribute) == nullptr) {
            continue;
        }
        // A function's copy has its name at its origin.
        const char* its_name = ::dwarf_formstring(::dwarf_attr_integrate(&outer, DW_AT_name, &attribute));
        if (its_name != nullptr) {
            name = std::string(its_name) + "::" + name;
        }
    }
    return name;
}

bool scope_index::find(const std::string& type, Dwarf_Die& found) {
    const auto [place, is_new] = found_.try_emplace(type);
    if (is_new) {
        const std::vector<name_part> parts = scopes_of(type);
        // What std::string is short for has another name in the debug information.
        const std::string last = parts.empty() ? type : parts.back().id;
        const std::string whole = last == "string" && parts.front().id == "std" ? "basic_string" : last;
        const auto same = types_.find(whole);
        if (same != types_.end()) {
            for (Dwarf_Die die : same->second) {
                if (readable_type(qualified_name(die)) == type) {
                    place->second = die;
                    break;
                }
            }
        }
        if (!place->second) {
            for (const char* other : {"long unsigned int", "long int", "short int", "short unsigned int",
                                      "long long int", "long long unsigned int"}) {
                const auto base = types_.find(other);
                if (base != types_.end() && readable_type(other) == type) {
                    place->second = base->second.front();
                }
            }
        }
    }
    if (place->second) {
        found = *place->second;
    }
    return place->second.has_value();
}

std::optional<std::uint64_t> scope_index::size_of(const std::string& type) {
    if (type.ends_with("*")) {
        return sizeof(void*);
    }
    Dwarf_Die die;
    const std::string_view bare = without_qualifiers(type);
    return find(std::string(bare), die) ? size_of_type(die) : std::nullopt;
}

bool scope_index::is_polymorphic(const std::string& type) {
    Dwarf_Die die;
    if (!find(type, die)) {
        return false;
    }
    if (::dwarf_hasattr(&die, DW_AT_containing_type) != 0) {
        return true;
    }
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&die, &child) == 0; more; more = ::dwarf_siblingof(&child, &child) == 0) {
        const char* name = ::dwarf_diename(&child);
        if (name != nullptr && std::string_view(name).starts_with("_vptr")) {
            return true;
        }
    }
    return false;
}

} // namespace linn::tool
