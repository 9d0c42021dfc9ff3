// SPDX-License-Identifier: Apache-2.0
#include "code_module.hpp"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

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

const char* text_of(Dwarf_Die& die, unsigned attribute_name) {
    Dwarf_Attribute attribute;
    return ::dwarf_formstring(::dwarf_attr_integrate(&die, attribute_name, &attribute));
}

std::string file_of_call(Dwarf_Die& inlined) {
    Dwarf_Die unit;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const unsigned index = number_of(inlined, DW_AT_call_file);
    if (::dwarf_diecu(&inlined, &unit, nullptr, nullptr) == nullptr ||
        ::dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count) {
        return {};
    }
    return with_folder(::dwarf_filesrc(files, index, nullptr, nullptr), unit);
}

/// The calls inlined at an address below `parent`, outermost first. Blocks are looked into.
void descend(Dwarf_Die parent, std::uint64_t address, std::vector<Dwarf_Die>& path) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        const int tag = ::dwarf_tag(&child);
        if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || !covers(child, address)) {
            continue;
        }
        if (tag == DW_TAG_inlined_subroutine) {
            path.push_back(child);
        }
        descend(child, address, path);
        return;
    }
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
        if (::dwarf_tag(&outer) == DW_TAG_namespace && ::dwarf_hasattr(&outer, DW_AT_name) == 0) {
            continue;
        }
        // A function's copy has its name at its origin.
        if (const char* const its_name = text_of(outer, DW_AT_name); its_name != nullptr) {
            name = std::string(its_name) + "::" + name;
        }
    }
    return name;
}

bool scope_index::definition(const std::string& type, Dwarf_Die& found) {
    const auto [place, is_new] = found_.try_emplace(type);
    if (is_new) {
        const std::vector<name_part> parts = scopes_of(type);
        const auto same = types_.find(parts.empty() ? std::string_view(type) : parts.back().id);
        if (same != types_.end()) {
            for (Dwarf_Die die : same->second) {
                if (readable_type(qualified_name(die)) == type) {
                    place->second = die;
                    break;
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
    return definition(std::string(bare), die) ? size_of_type(die) : std::nullopt;
}

bool scope_index::is_polymorphic(const std::string& type) {
    Dwarf_Die die;
    if (!definition(type, die)) {
        return false;
    }
    if (::dwarf_hasattr(&die, DW_AT_containing_type) != 0) {
        return true;
    }
    return any_child(die, [](Dwarf_Die& child) {
        const char* const name = ::dwarf_diename(&child);
        return name != nullptr && std::string_view(name).starts_with("_vptr");
    });
}

std::string with_folder(const char* file, Dwarf_Die& unit) {
    if (file == nullptr || *file == '/') {
        return file == nullptr ? std::string() : std::string(file);
    }
    Dwarf_Attribute attribute;
    const char* folder =
        ::dwarf_attr(&unit, DW_AT_comp_dir, &attribute) == nullptr ? nullptr : ::dwarf_formstring(&attribute);
    return folder == nullptr ? std::string(file) : std::string(folder) + "/" + file;
}

unsigned number_of(Dwarf_Die& die, unsigned attribute_name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (::dwarf_attr(&die, attribute_name, &attribute) == nullptr ||
        ::dwarf_formudata(&attribute, &value) != 0) {
        return 0;
    }
    return static_cast<unsigned>(value);
}

bool covers(Dwarf_Die& die, std::uint64_t address) {
    return ::dwarf_haspc(&die, address) > 0;
}

Dwarf_Die origin_of(Dwarf_Die die) {
    // Damaged debug information can make a ring of these.
    for (int step = 0; step < 16; ++step) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (::dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
            ::dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr) {
            break;
        }
        if (::dwarf_formref_die(&attribute, &next) == nullptr) {
            break;
        }
        die = next;
    }
    return die;
}

debug_info::debug_info(Dwarf* dwarf, const std::string& path) : dwarf_(dwarf) {
    const char* name = nullptr;
    const void* id = nullptr;
    if (::dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 && ::dwarf_getalt(dwarf) == nullptr) {
        problem_ = "the supplementary debug file " + std::string(name) +
                   " is missing; install it, or name its folder with --debug-dir";
    }
    index_units(path);
}

void debug_info::index_units(const std::string& path) {
    Dwarf_CU* cu = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Dwarf_Die die;
    Dwarf_Die split;
    std::size_t missing = 0;
    std::string missing_name;
    while (::dwarf_get_units(dwarf_, cu, &cu, &version, &type, &die, &split) == 0) {
        if (type == DW_UT_type || type == DW_UT_split_type || type == DW_UT_partial) {
            continue;
        }
        unit one{die, die, false, {}};
        if (type == DW_UT_skeleton) {
            if (split.addr != nullptr) {
                one.body = split;
            } else if (missing++ == 0) {
                const char* file = text_of(die, DW_AT_dwo_name);
                file = file == nullptr ? text_of(die, DW_AT_GNU_dwo_name) : file;
                missing_name = file == nullptr ? "" : file;
            }
        }
        each_range(die, [&](std::uint64_t low, std::uint64_t high) {
            ranges_.push_back({low, high, units_.size()});
        });
        units_.push_back(std::move(one));
    }
    std::sort(ranges_.begin(), ranges_.end(),
              [](const unit_range& left, const unit_range& right) { return left.low < right.low; });
    if (missing == 0) {
        return;
    }
    problem_ = std::to_string(missing) + " of " + std::to_string(units_.size()) +
               " split debug files are missing, such as " + missing_name +
               (::access((path + ".dwp").c_str(), R_OK) == 0
                    ? "; there is a .dwp file, which the installed libdw cannot read: keep the .dwo files"
                    : "; keep the .dwo files where the compiler put them");
}

debug_info::unit* debug_info::unit_at(std::uint64_t address) {
    auto at = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                               [](std::uint64_t wanted, const unit_range& one) { return wanted < one.low; });
    // Ranges hardly ever overlap; where they do, the one that holds the address is close.
    for (int steps = 0; at != ranges_.begin() && steps < 8; ++steps) {
        --at;
        if (address < at->high) {
            return &units_[at->unit];
        }
    }
    return nullptr;
}

void debug_info::collect_functions(Dwarf_Die parent, std::vector<interval>& into) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        const int tag = ::dwarf_tag(&child);
        if (tag == DW_TAG_subprogram) {
            each_range(child,
                       [&](std::uint64_t low, std::uint64_t high) { into.push_back({low, high, child}); });
        }
        if (is_scope(tag) || tag == DW_TAG_module || tag == DW_TAG_lexical_block) {
            collect_functions(child, into);
        }
    }
}

const debug_info::interval* debug_info::function_in(unit& one, std::uint64_t address) {
    if (!std::exchange(one.is_indexed, true)) {
        collect_functions(one.body, one.functions);
        std::ranges::sort(one.functions, {}, &interval::low);
    }
    auto at = std::ranges::upper_bound(one.functions, address, {}, &interval::low);
    return at != one.functions.begin() && address < (--at)->high ? &*at : nullptr;
}

bool debug_info::function_at(std::uint64_t address, Dwarf_Die& function) {
    unit* one = unit_at(address);
    const interval* found = one == nullptr ? nullptr : function_in(*one, address);
    if (found != nullptr) {
        function = found->die;
    }
    return found != nullptr;
}

std::vector<known_frame> debug_info::frames(std::uint64_t address) {
    unit* one = unit_at(address);
    if (one == nullptr) {
        return {};
    }
    const interval* function = function_in(*one, address);
    std::vector<Dwarf_Die> path;
    if (function != nullptr) {
        path.push_back(function->die);
        descend(function->die, address, path);
    }
    known_frame inner;
    if (Dwarf_Line* line = ::dwarf_getsrc_die(&one->skeleton, address); line != nullptr) {
        int number = 0;
        int column = 0;
        inner.shown.file = with_folder(::dwarf_linesrc(line, nullptr, nullptr), one->skeleton);
        if (::dwarf_lineno(line, &number) == 0) {
            inner.shown.line = static_cast<unsigned>(number);
        }
        if (::dwarf_linecol(line, &column) == 0) {
            inner.shown.column = static_cast<unsigned>(column);
        }
    }
    std::vector<known_frame> frames;
    if (path.empty()) {
        if (!inner.shown.file.empty()) {
            frames.push_back(std::move(inner));
        }
        return frames;
    }
    for (std::size_t i = path.size(); i-- > 0;) {
        inner.die = path[i];
        inner.name = name_of(path[i]);
        inner.shown.is_inlined = i > 0;
        frames.push_back(std::exchange(inner, {}));
        if (i > 0) {
            inner.shown.file = file_of_call(path[i]);
            inner.shown.line = number_of(path[i], DW_AT_call_line);
            inner.shown.column = number_of(path[i], DW_AT_call_column);
        }
    }
    return frames;
}

const std::string& debug_info::name_of(Dwarf_Die function) {
    const Dwarf_Die origin = origin_of(function);
    const auto [place, is_new] = names_.try_emplace(origin.addr);
    if (!is_new) {
        return place->second;
    }
    const char* linkage = text_of(function, DW_AT_linkage_name);
    if (linkage == nullptr) { // of DWARF 2 and 3
        linkage = text_of(function, DW_AT_MIPS_linkage_name);
    }
    std::string name = linkage == nullptr ? std::string() : without_parameters(demangle(linkage));
    // A name that does not demangle, and local functions that have none.
    if (name.empty() || name.starts_with("_Z")) {
        name = scopes_of_unit(origin).qualified_name(origin);
    }
    return names_[origin.addr] = std::move(name);
}

scope_index& debug_info::scopes_of_unit(Dwarf_Die inside) {
    Dwarf_Die whole = inside;
    ::dwarf_diecu(&inside, &whole, nullptr, nullptr);
    std::unique_ptr<scope_index>& index = scopes_[whole.addr];
    if (index == nullptr) {
        index = std::make_unique<scope_index>(whole);
    }
    return *index;
}

scope_index& debug_info::scopes_of_origin(Dwarf_Die function) {
    return scopes_of_unit(origin_of(function));
}

bool debug_info::has_types() const {
    return std::ranges::any_of(units_, [](const unit& one) {
        return any_child(one.body, [](Dwarf_Die& child) {
            const int tag = ::dwarf_tag(&child);
            return tag == DW_TAG_base_type || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        });
    });
}

} // namespace linn::tool
