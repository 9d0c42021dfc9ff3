// SPDX-License-Identifier: Apache-2.0
#include "memory_owner.hpp"

#include "cxx_name.hpp"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace linn::tool {
namespace {

bool is_standard(const std::vector<name_part>& scopes) {
    return scopes.empty() || scopes.front().id == "std" || scopes.front().id == "__gnu_cxx";
}

bool has_allocator_argument(const name_part& part) {
    return std::ranges::any_of(part.arguments, [](const std::string& one) {
        return plain_name(scopes_of(one)) == "std::allocator";
    });
}

/// The scopes down to `last`, with every argument: readable names leave the allocator away.
std::string with_all_arguments(const std::vector<name_part>& scopes, std::size_t last) {
    std::string out;
    for (std::size_t i = 0; i <= last; ++i) {
        out += (out.empty() ? "" : "::") + scopes[i].id;
        std::string list;
        for (const std::string& one : scopes[i].arguments) {
            list += (list.empty() ? "" : ", ") + readable_type(one);
        }
        if (scopes[i].is_template) {
            out += "<" + list + ">";
        }
    }
    return out;
}

/// The class template among the scopes of a name that has an allocator among its arguments: its index; npos: none.
std::size_t allocator_taker(const std::vector<name_part>& scopes, std::size_t count) {
    if (!is_standard(scopes)) {
        for (std::size_t i = std::min(count, scopes.size()); i-- > 0;) {
            if (scopes[i].is_template && has_allocator_argument(scopes[i])) {
                return i;
            }
        }
    }
    return std::string::npos;
}

bool mentions(const named_type& type, const std::string& name) {
    return type.type.find(name) != std::string::npos;
}

/// A type that only the program has: an int or a std::string among the arguments says nothing of whose node it is in.
bool is_own_type(const std::string& type) {
    static constexpr std::array<std::string_view, 14> builtin{
        "bool",   "char",     "wchar_t", "char8_t", "char16_t", "char32_t", "short",
        "signed", "unsigned", "int",     "long",    "float",    "double",   "void"};
    const std::string_view word = std::string_view(type).substr(0, type.find_first_of(" *&<"));
    return !type.starts_with("std::") && std::find(builtin.begin(), builtin.end(), word) == builtin.end();
}

/// The class that a function belongs to, if it takes an allocator. What it holds in a container of its own is its
/// allocator's where the element says so.
std::string taker_of(const known_frame& frame, bool calls_allocator, const named_type& type) {
    const std::vector<name_part>& scopes = frame.scopes;
    const std::size_t at = allocator_taker(scopes, scopes.empty() ? 0 : scopes.size() - 1);
    if (at == std::string::npos) {
        return {};
    }
    const std::string first = readable_type(scopes[at].arguments.front());
    const std::vector<name_part> its_class(scopes.begin(),
                                           scopes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    const bool is_its_own = calls_allocator || mentions(type, readable_name(its_class)) ||
                            (is_own_type(first) && mentions(type, first));
    return is_its_own ? with_all_arguments(scopes, at) : std::string();
}

/// Likewise for a type that a function or its class was made for: `parser<basic_json<…>>`.
std::string taker_among_arguments(const known_frame& frame, const named_type& type) {
    for (const name_part& part : frame.scopes) {
        for (const std::string& argument : part.arguments) {
            const std::vector<name_part> scopes = scopes_of(without_qualifiers(argument));
            const std::size_t at = allocator_taker(scopes, scopes.size());
            if (at != std::string::npos && mentions(type, readable_name(scopes))) {
                return with_all_arguments(scopes, at);
            }
        }
    }
    return {};
}

bool is_written_in_c(const chain_frame& frame) {
    if (!frame.known->has_die()) {
        return false;
    }
    Dwarf_Die die = frame.known->die;
    Dwarf_Die unit;
    if (::dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr) {
        return false;
    }
    return is_c_language(::dwarf_srclang(&unit));
}

/// The innermost function that is neither the allocator's nor of the standard library: what asked for the memory, or
/// called the container that did. The chain's size: there is none.
std::size_t owner_of(const call_chain& chain, const allocator_run& run) {
    std::size_t at = run.end;
    while (at < chain.size() && is_standard_code(chain[at])) {
        ++at;
    }
    return at;
}

std::string size_text(const std::vector<std::uint64_t>& sizes) {
    if (sizes.empty()) {
        return "blocks";
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    return blocks_of_sizes(*least, *most);
}

std::string file_of(const chain_frame& frame) {
    return std::string{frame.path.substr(frame.path.rfind('/') + 1)};
}

/// "app+0x5ccca": the return address, which stands behind the call.
std::string address_of(const chain_frame& frame) {
    char offset[24];
    std::snprintf(offset, sizeof offset, "0x%llx", static_cast<unsigned long long>(frame.address + 1));
    return frame.path.empty() ? offset : file_of(frame) + '+' + offset;
}

/// The innermost function that is the user's or of another project's library, with a name or without; otherwise the innermost
/// one that has a name, otherwise the innermost. Code that is in no file, because the program generated it, says nothing.
std::size_t owner_in(const call_chain& chain, std::size_t from) {
    std::size_t found = chain.size();
    for (std::size_t i = from; i < chain.size(); ++i) {
        const chain_frame& frame = chain[i];
        if (!frame.is_physical || frame.path.empty()) {
            continue;
        }
        if (!frame.is_system || !shown_frame(frame).library.empty()) {
            return i;
        }
        if (found == chain.size() && !frame.known->shown.function.empty()) {
            found = i;
        }
    }
    return found == chain.size() ? std::min(from, chain.size() - 1) : found;
}

/// Functions that everything is called from.
bool is_outermost(const std::string& function) {
    return function == "main" || function == "_start" || function.starts_with("__libc_start");
}

std::string place_of(const call_chain& chain, std::size_t owner) {
    const chain_frame& frame = chain[owner];
    const std::string library = shown_frame(frame).library;
    const std::string inside = library.empty() ? library : " in " + library;
    if (!frame.known->shown.function.empty()) {
        return "of " + frame.known->shown.function + inside;
    }
    for (std::size_t i = owner + 1; i != chain.size(); ++i) {
        if (const std::string& caller = chain[i].known->shown.function;
            chain[i].path == frame.path && !caller.empty() && !is_outermost(caller)) {
            return "under " + caller + inside;
        }
    }
    return frame.path.empty() ? "of generated code" : "of " + file_of(frame);
}

} // namespace

bool is_c_language(int language) {
    constexpr int c17 = 0x2c; // DWARF 5's addendum, which older headers lack
    constexpr int c23 = 0x3e;
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == c17 || language == c23 || language == DW_LANG_Rust;
}

std::size_t place_of(const call_chain& chain, const allocator_run& run) {
    for (std::size_t i = run.is_own ? run.end : 0; i < chain.size(); ++i) {
        const chain_frame& frame = chain[i];
        const bool is_foreign = frame.is_system && !shown_frame(frame).library.empty();
        if ((!frame.is_system || is_foreign) && !hands_on(*frame.known)) {
            return i;
        }
    }
    return chain.size();
}

void name_owner(const call_chain& chain, const allocator_run& run, named_type& type) {
    const std::size_t owner = owner_of(chain, run);
    const bool calls_allocator = owner == run.end;
    if (owner >= chain.size()) {
        return;
    }
    // What opendir() or strdup() asks for is theirs, although main() is the place.
    const bool is_c_librarys = !run.is_new && is_runtime_module(chain[run.end].path);
    type.is_library = chain[owner].is_system || is_c_librarys;
    type.is_c = is_written_in_c(chain[owner]);
    if (run.named.empty()) {
        return;
    }
    for (std::size_t i = owner; i < chain.size() && type.takes_allocator.empty(); ++i) {
        const known_frame& frame = *chain[i].known;
        if (i > owner && !chain[i].is_system) {
            return;
        }
        type.takes_allocator = taker_of(frame, i == owner && calls_allocator, type);
        if (type.takes_allocator.empty()) {
            type.takes_allocator = taker_among_arguments(frame, type);
        }
    }
}

std::string unnamed_blocks::text(std::size_t number) const {
    return number == 0 ? what + ' ' + where : what + " #" + std::to_string(number) + ' ' + where;
}

std::string blocks_of_sizes(std::uint64_t smallest, std::uint64_t largest) {
    const std::string upper = std::to_string(largest) + "-byte blocks";
    return smallest == largest ? upper : std::to_string(smallest) + '-' + upper;
}

unnamed_blocks describe_blocks(const call_chain& chain, std::size_t from,
                               const std::vector<std::uint64_t>& sizes) {
    if (chain.empty()) {
        return {size_text(sizes), "of unknown code", {}};
    }
    const std::size_t owner = owner_in(chain, from);
    return {size_text(sizes), place_of(chain, owner), address_of(chain[owner])};
}

} // namespace linn::tool
