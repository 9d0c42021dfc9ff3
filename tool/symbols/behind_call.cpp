// SPDX-License-Identifier: Apache-2.0
#include "behind_call.hpp"

#include "cxx_name.hpp"

#include <dwarf.h>

#include <cstring>
#include <limits>

namespace linn::tool {
namespace {

constexpr unsigned alloc_type_attribute = 0x3e0e; // DW_AT_LLVM_alloc_type
constexpr std::uint64_t pointer_window = 24;
constexpr std::uint64_t inlined_window = 64;
constexpr std::uint64_t call_window = 96;
constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max();

nearby_type describe(code_module& module, Dwarf_Die type) {
    nearby_type out;
    const int tag = ::dwarf_tag(&type);
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type) {
        return out;
    }
    scope_index& scopes = module.debug()->scopes_of_unit(type);
    out.type = readable_type(scopes.qualified_name(type));
    std::optional<std::uint64_t> bytes = size_of_type(type);
    if (!bytes) {
        bytes = scopes.size_of(out.type);
    }
    out.bytes = bytes.value_or(0);
    out.is_polymorphic = scopes.is_polymorphic(out.type);
    return out;
}

bool pointee_of(Dwarf_Die variable, Dwarf_Die& pointee) {
    Dwarf_Die type;
    return bare_type(variable, type) && ::dwarf_tag(&type) == DW_TAG_pointer_type && bare_type(type, pointee);
}

/// Where a list of locations begins at or behind `after`; far away: nowhere near, or it is no list.
std::uint64_t begin_of_locations(Dwarf_Die& variable, std::uint64_t after) {
    Dwarf_Attribute attribute;
    if (::dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr ||
        ::dwarf_whatform(&attribute) == DW_FORM_exprloc) {
        return far;
    }
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    Dwarf_Op* expression = nullptr;
    std::size_t length = 0;
    std::uint64_t nearest = far;
    ptrdiff_t offset = 0;
    while ((offset = ::dwarf_getlocations(&attribute, offset, &base, &low, &high, &expression, &length)) >
           0) {
        if (low >= after && low - after <= pointer_window && low < high) {
            nearest = std::min<std::uint64_t>(nearest, low);
        }
    }
    return nearest;
}

bool lives_in_frame(Dwarf_Die& variable) {
    Dwarf_Attribute attribute;
    return ::dwarf_attr(&variable, DW_AT_location, &attribute) != nullptr &&
           ::dwarf_whatform(&attribute) == DW_FORM_exprloc;
}

/// The nearest address in [after, after + window) at which code of the entry begins.
std::uint64_t begin_of_code(Dwarf_Die& die, std::uint64_t after, std::uint64_t window) {
    std::uint64_t nearest = far;
    each_range(die, [&](std::uint64_t low, std::uint64_t) {
        if (low >= after && low - after < window) {
            nearest = std::min(nearest, low);
        }
    });
    return nearest;
}

/// Whether code of the entry lies in [after - 1, after + window).
bool is_near(Dwarf_Die& die, std::uint64_t after, std::uint64_t window) {
    bool is = false;
    each_range(die, [&](std::uint64_t low, std::uint64_t high) {
        is = is || (low < after + window && high + 1 > after);
    });
    return is;
}

/// Where an entry stands: how many inlined calls it is in, and whether all of them hold the call of the allocator.
struct position {
    unsigned depth = 0;
    bool holds_call = true;
};

/// Calls `see(entry, position)` for the entries of a function whose code is near, except for those inside of `left_out`.
template <class See>
void each_entry_near(Dwarf_Die parent, std::uint64_t after, position here, const void* left_out, See& see) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        const int tag = ::dwarf_tag(&child);
        const bool is_call = tag == DW_TAG_inlined_subroutine;
        if (is_call && child.addr == left_out) {
            continue;
        }
        if (!is_call && tag != DW_TAG_lexical_block) {
            see(child, here);
        } else if (is_near(child, after, inlined_window)) {
            see(child, here);
            const position inside{here.depth + (is_call ? 1U : 0U),
                                  here.holds_call && (!is_call || covers(child, after - 1))};
            each_entry_near(child, after, inside, left_out, see);
        }
    }
}

/// The class of a constructor by its name: "shape::Circle::Circle" -> "shape::Circle"; empty: it is none.
std::string class_of_constructor(const std::string& function) {
    const std::vector<name_part> scopes = scopes_of(function);
    if (scopes.size() < 2 || scopes.back().id != scopes[scopes.size() - 2].id) {
        return {};
    }
    return scope_around(readable_function(function));
}

/// The class that the `this` of a member function points to.
bool class_of_this(Dwarf_Die function, Dwarf_Die& type) {
    for (Dwarf_Die where : {function, origin_of(function)}) {
        Dwarf_Attribute origin;
        Dwarf_Die abstract = where;
        // A concrete copy lists its parameters at its abstract origin, before the specification.
        if (::dwarf_attr(&where, DW_AT_abstract_origin, &origin) != nullptr) {
            ::dwarf_formref_die(&origin, &abstract);
        }
        Dwarf_Die child;
        for (bool more = ::dwarf_child(&abstract, &child) == 0; more;
             more = ::dwarf_siblingof(&child, &child) == 0) {
            if (::dwarf_tag(&child) == DW_TAG_formal_parameter) {
                return pointee_of(child, type);
            }
        }
    }
    return false;
}

constexpr std::size_t call_bytes = 5;

/// The function that an instruction calls; null: it is no call, or an indirect one. No disassembler: a byte 0xe8 whose
/// operand leads to the first byte of a function is a call of it.
const elf_symbol* called_at(code_module& module, std::uint64_t address) {
    constexpr unsigned char call = 0xe8;
    const std::span<const unsigned char> code = module.code(address, call_bytes);
    if (code.size() < call_bytes || code[0] != call) {
        return nullptr;
    }
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[1], sizeof(distance));
    const std::uint64_t target =
        address + call_bytes + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
    const elf_symbol* symbol = module.symbol_at(target);
    return symbol != nullptr && symbol->address == target ? symbol : nullptr;
}

nearby_type constructed(code_module& module, Dwarf_Die function, const std::string& by_name) {
    Dwarf_Die type;
    nearby_type out;
    if (class_of_this(function, type)) {
        out = describe(module, type);
    }
    if (out.type.empty() || out.bytes == 0) {
        out.type = by_name;
    }
    return out;
}

} // namespace

/// Calls `see(entry, position)` for the entries near the call; false: the debug information does not know the function.
template <class See>
bool behind_call::each_near(See see) {
    Dwarf_Die function;
    if (module_.debug() == nullptr || !module_.debug()->function_at(after_ - 1, function)) {
        return false;
    }
    each_entry_near(function, after_, {}, allocator_, see);
    return true;
}

bool behind_call::call_entry(Dwarf_Die& found) {
    bool is_found = false;
    each_near([&](Dwarf_Die& entry, position) {
        const int tag = ::dwarf_tag(&entry);
        if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) {
            return;
        }
        Dwarf_Attribute address;
        Dwarf_Addr returns_to = 0;
        if (::dwarf_attr(&entry, DW_AT_call_return_pc, &address) == nullptr ||
            ::dwarf_formaddr(&address, &returns_to) != 0) {
            ::dwarf_lowpc(&entry, &returns_to);
        }
        if (returns_to == after_) {
            found = entry;
            is_found = true;
        }
    });
    return is_found;
}

std::string behind_call::callee() {
    if (const elf_symbol* symbol = called_at(module_, after_ - call_bytes); symbol != nullptr) {
        return without_parameters(demangle(symbol->name));
    }
    Dwarf_Die call;
    Dwarf_Die function;
    Dwarf_Attribute origin;
    if (!call_entry(call) || (::dwarf_attr(&call, DW_AT_call_origin, &origin) == nullptr &&
                              ::dwarf_attr(&call, DW_AT_abstract_origin, &origin) == nullptr)) {
        return {};
    }
    return ::dwarf_formref_die(&origin, &function) == nullptr ? std::string()
                                                              : module_.debug()->name_of(function);
}

nearby_type behind_call::call_site() {
    Dwarf_Die call;
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    const bool is_known = call_entry(call) &&
                          ::dwarf_attr(&call, alloc_type_attribute, &attribute) != nullptr &&
                          ::dwarf_formref_die(&attribute, &type) != nullptr;
    return is_known ? describe(module_, type) : nearby_type();
}

nearby_type behind_call::pointer(const wanted_bytes& wanted, unsigned line) {
    nearby_type best;
    std::uint64_t best_begin = far;
    position best_at;
    const auto see = [&](Dwarf_Die& entry, position here) {
        const int tag = ::dwarf_tag(&entry);
        // What is inlined behind the call has pointers of its own: to anything.
        if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !here.holds_call) {
            return;
        }
        std::uint64_t begin = begin_of_locations(entry, after_);
        int declared = 0;
        const bool is_on_line =
            ::dwarf_decl_line(&entry, &declared) == 0 && static_cast<unsigned>(declared) == line && line != 0;
        if (begin == far && tag == DW_TAG_variable && lives_in_frame(entry) && is_on_line) {
            begin = after_ + pointer_window + 1;
        }
        if (wanted.line != 0 && !is_on_line) {
            return;
        }
        const bool is_better = begin != far && (best.type.empty() || here.depth > best_at.depth ||
                                                (here.depth == best_at.depth && begin < best_begin));
        Dwarf_Die pointee;
        if (!is_better || !pointee_of(entry, pointee)) {
            return;
        }
        nearby_type type = describe(module_, pointee);
        if (type.type.empty() || !wanted.fits(type.bytes)) {
            return;
        }
        best = std::move(type);
        best_begin = begin;
        best_at = here;
    };
    each_near(see);
    return best;
}

nearby_type behind_call::constructor(const wanted_bytes& wanted) {
    nearby_type best;
    std::uint64_t best_begin = far;
    position best_at;
    const auto see = [&](Dwarf_Die& entry, position here) {
        if (::dwarf_tag(&entry) != DW_TAG_inlined_subroutine) {
            return;
        }
        const std::uint64_t begin = begin_of_code(entry, after_, inlined_window);
        // The expression's own constructor stands in the function that called the allocator; a base's is inlined into
        // that of the class, so it is deeper.
        bool is_better = begin != far;
        std::uint64_t least_bytes = 0;
        if (is_better && !best.type.empty()) {
            if (here.holds_call != best_at.holds_call) {
                is_better = here.holds_call;
            } else if (here.depth != best_at.depth) {
                is_better = here.holds_call ? here.depth > best_at.depth : here.depth < best_at.depth;
            } else if (wanted.most_extra != 0) {
                least_bytes = best.bytes + 1; // the smaller ones are arguments and members
            } else {
                is_better = begin < best_begin;
            }
        }
        if (!is_better || (wanted.line != 0 && number_of(entry, DW_AT_call_line) != wanted.line)) {
            return;
        }
        const std::string by_name = class_of_constructor(module_.debug()->name_of(entry));
        if (by_name.empty() || by_name.starts_with("std::allocator<") ||
            by_name.starts_with("std::__new_allocator<")) {
            return;
        }
        nearby_type type = constructed(module_, entry, by_name);
        // Without sizes, trust only an entry at the place of the expression.
        const bool is_believed =
            type.bytes != 0 ? wanted.fits(type.bytes)
                            : here.holds_call && module_.about().known != module_symbols::level::full;
        if (!is_believed || type.bytes < least_bytes) {
            return;
        }
        best = std::move(type);
        best_begin = begin;
        best_at = here;
    };
    if (each_near(see) && best.bytes != 0) {
        return best;
    }
    nearby_type called = called_constructor(wanted);
    return called.bytes != 0 || best.type.empty() ? called : best;
}

std::string behind_call::constructed_element() {
    std::string found;
    std::uint64_t found_begin = far;
    const auto see = [&](Dwarf_Die& entry, position) {
        if (::dwarf_tag(&entry) != DW_TAG_inlined_subroutine) {
            return;
        }
        const std::uint64_t begin = begin_of_code(entry, after_, inlined_window);
        if (begin >= found_begin) {
            return;
        }
        const std::vector<name_part> scopes = scopes_of(module_.debug()->name_of(entry));
        if (scopes.empty() || scopes.back().arguments.empty() ||
            (scopes.back().id != "construct" && scopes.back().id != "construct_at")) {
            return;
        }
        found = scopes.back().arguments.front();
        found_begin = begin;
    };
    each_near(see);
    return found;
}

nearby_type behind_call::called_constructor(const wanted_bytes& wanted) {
    nearby_type best;
    const elf_symbol* here = module_.symbol_at(after_ - 1);
    const std::uint64_t end = here == nullptr || here->bytes == 0 ? far : here->address + here->bytes;
    for (std::size_t at = 0; at + call_bytes <= call_window && after_ + at < end; ++at) {
        const elf_symbol* symbol = called_at(module_, after_ + at);
        if (symbol == nullptr ||
            (wanted.line != 0 && module_.at(after_ + at).shown.front().line != wanted.line)) {
            continue;
        }
        const std::string by_name = class_of_constructor(without_parameters(demangle(symbol->name)));
        if (by_name.empty()) {
            continue;
        }
        nearby_type type;
        type.type = by_name;
        Dwarf_Die function;
        if (module_.debug() != nullptr && module_.debug()->function_at(symbol->address, function)) {
            type = constructed(module_, function, by_name);
        }
        const bool is_believed =
            type.bytes == 0 ? module_.about().known != module_symbols::level::full : wanted.fits(type.bytes);
        if (is_believed && (best.type.empty() || type.bytes > best.bytes)) {
            best = std::move(type);
        }
        if (!best.type.empty() && (wanted.line == 0 || wanted.most_extra == 0)) {
            break;
        }
    }
    return best;
}

} // namespace linn::tool
