// SPDX-License-Identifier: Apache-2.0
#include "behind_call.hpp"

#include "cxx_name.hpp"

#include <dwarf.h>

#include <limits>

namespace linn::tool {
namespace {

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

/// Whether a variable is at one place all the time, as in code that is not optimised.
bool is_in_frame(Dwarf_Die& variable) {
    Dwarf_Attribute attribute;
    return ::dwarf_attr(&variable, DW_AT_location, &attribute) != nullptr &&
           ::dwarf_whatform(&attribute) == DW_FORM_exprloc;
}

/// Where a list of locations begins at or behind `after`; far away: nowhere near, or it is no list.
std::uint64_t begin_of_locations(Dwarf_Die& variable, std::uint64_t after) {
    Dwarf_Attribute attribute;
    if (is_in_frame(variable) || ::dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) {
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

/// The nearest address behind a call at which code of the entry begins.
std::uint64_t begin_of_code(Dwarf_Die& die, std::uint64_t after) {
    std::uint64_t nearest = far;
    each_range(die, [&](std::uint64_t low, std::uint64_t) {
        if (low >= after && low - after < inlined_window) {
            nearest = std::min(nearest, low);
        }
    });
    return nearest;
}

/// Whether code of the entry lies around the end of a call, or close behind it.
bool is_near(Dwarf_Die& die, std::uint64_t after) {
    bool is = false;
    each_range(die, [&](std::uint64_t low, std::uint64_t high) {
        is = is || (low < after + inlined_window && high + 1 > after);
    });
    return is;
}

/// Calls `see(entry, holds_call)` for the entries of a function whose code is near: whether all inlined calls that an entry is in
/// hold the call of the allocator.
template <class See>
void each_entry_near(Dwarf_Die parent, std::uint64_t after, bool holds_call, See& see) {
    Dwarf_Die child;
    for (bool more = ::dwarf_child(&parent, &child) == 0; more;
         more = ::dwarf_siblingof(&child, &child) == 0) {
        const int tag = ::dwarf_tag(&child);
        const bool is_call = tag == DW_TAG_inlined_subroutine;
        if (!is_call && tag != DW_TAG_lexical_block) {
            see(child, holds_call);
        } else if (is_near(child, after)) {
            see(child, holds_call);
            each_entry_near(child, after, holds_call && (!is_call || covers(child, after - 1)), see);
        }
    }
}

/// The class that a function constructs; without a type: it is no constructor.
nearby_type constructed(code_module& module, Dwarf_Die function) {
    std::vector<name_part> scopes = scopes_of(module.debug()->name_of(function));
    if (scopes.size() < 2 || scopes.back().id != scopes[scopes.size() - 2].id) {
        return {};
    }
    scopes.pop_back();
    scope_index& types = module.debug()->scopes_of_origin(function);
    nearby_type out;
    out.type = readable_name(scopes);
    out.bytes = types.size_of(out.type).value_or(0);
    out.is_polymorphic = types.is_polymorphic(out.type);
    return out;
}

} // namespace

/// Calls `see(entry, holds_call)` for the entries near the call. The debug information may not know the function.
template <class See>
void behind_call::each_near(See see) {
    Dwarf_Die function;
    if (module_.debug() != nullptr && module_.debug()->function_at(after_ - 1, function)) {
        each_entry_near(function, after_, true, see);
    }
}

std::string behind_call::callee() {
    std::string name;
    each_near([&](Dwarf_Die& entry, bool) {
        const int tag = ::dwarf_tag(&entry);
        if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) {
            return;
        }
        Dwarf_Attribute attribute;
        Dwarf_Addr returns_to = 0;
        if (::dwarf_attr(&entry, DW_AT_call_return_pc, &attribute) == nullptr ||
            ::dwarf_formaddr(&attribute, &returns_to) != 0) {
            ::dwarf_lowpc(&entry, &returns_to);
        }
        Dwarf_Die function;
        const bool has_origin = ::dwarf_attr(&entry, DW_AT_call_origin, &attribute) != nullptr ||
                                ::dwarf_attr(&entry, DW_AT_abstract_origin, &attribute) != nullptr;
        if (returns_to == after_ && has_origin && ::dwarf_formref_die(&attribute, &function) != nullptr) {
            name = module_.debug()->name_of(function);
        }
    });
    return name;
}

nearby_type behind_call::pointer(const wanted_bytes& wanted, bool in_frame) {
    nearby_type best;
    std::uint64_t best_begin = far;
    const unsigned call_line = module_.at(after_ - 1).front().shown.line;
    const auto see = [&](Dwarf_Die& entry, bool holds_call) {
        const int tag = ::dwarf_tag(&entry);
        // What is inlined behind the call has pointers of its own: to anything.
        if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !holds_call) {
            return;
        }
        int line = 0;
        const auto declared =
            ::dwarf_decl_line(&entry, &line) == 0 ? static_cast<unsigned>(line) : ~0U; // of no call
        if (wanted.line != 0 && declared != wanted.line) {
            return;
        }
        const bool begins_here = declared == call_line && is_in_frame(entry);
        const std::uint64_t begin =
            in_frame ? (begins_here ? after_ : far) : begin_of_locations(entry, after_);
        Dwarf_Die pointee;
        if (begin >= best_begin || !pointee_of(entry, pointee)) {
            return;
        }
        nearby_type type = describe(module_, pointee);
        if (type.type.empty() || !wanted.fits(type.bytes)) {
            return;
        }
        best = std::move(type);
        best_begin = begin;
    };
    each_near(see);
    return best;
}

nearby_type behind_call::constructor(const wanted_bytes& wanted) {
    nearby_type best;
    std::uint64_t best_begin = far;
    const auto take = [&](Dwarf_Die function, std::uint64_t begin, unsigned line) {
        if (begin == far || (wanted.line != 0 && line != wanted.line)) {
            return;
        }
        nearby_type type = constructed(module_, function);
        // Where more bytes were asked for, the smaller ones are arguments and members.
        if (wanted.fits(type.bytes) &&
            (type.bytes > best.bytes || (type.bytes == best.bytes && begin < best_begin))) {
            best = std::move(type);
            best_begin = begin;
        }
    };
    each_near([&](Dwarf_Die& entry, bool holds_call) {
        // What is inlined into something else behind the call is a base or a member.
        if (::dwarf_tag(&entry) == DW_TAG_inlined_subroutine && holds_call) {
            take(entry, begin_of_code(entry, after_), number_of(entry, DW_AT_call_line));
        }
    });
    const elf_symbol* const caller = module_.symbol_at(after_ - 1);
    for (std::uint64_t at = after_; at < after_ + call_window && module_.symbol_at(at) == caller; ++at) {
        if (Dwarf_Die function; module_.called_at(at, function)) {
            take(function, at, module_.at(at).front().shown.line);
        }
    }
    return best;
}

std::string behind_call::constructed_element() {
    std::string found;
    std::uint64_t found_begin = far;
    const auto see = [&](Dwarf_Die& entry, bool) {
        if (::dwarf_tag(&entry) != DW_TAG_inlined_subroutine) {
            return;
        }
        const std::uint64_t begin = begin_of_code(entry, after_);
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

} // namespace linn::tool
