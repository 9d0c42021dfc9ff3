// SPDX-License-Identifier: Apache-2.0
#include "call_chain.hpp"

#include "code_module.hpp"
#include "cxx_name.hpp"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>

namespace linn::tool {
namespace {

bool is_any_of(std::string_view text, std::span<const std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
}

constexpr std::array<std::string_view, 15> allocating{"allocate",
                                                      "allocate_at_least",
                                                      "__allocate_at_least",
                                                      "__allocate_guarded",
                                                      "__allocate_guarded_obj",
                                                      "_S_allocate",
                                                      "_S_allocate_helper",
                                                      "__libcpp_allocate",
                                                      "__libcpp_operator_new",
                                                      "allocate_bytes",
                                                      "do_allocate",
                                                      "allocate_object",
                                                      "new_object",
                                                      "operator new",
                                                      "operator new[]"};

constexpr std::array<std::string_view, 9> c_functions{"malloc",         "calloc",   "realloc",
                                                      "aligned_alloc",  "memalign", "valloc",
                                                      "posix_memalign", "pvalloc",  "reallocarray"};

bool is_pmr(const known_frame& frame) {
    return frame.scopes.size() > 2 && frame.scopes[0].id == "std" && frame.scopes[1].id == "pmr";
}

bool is_number(const std::string& text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

std::string first_type(const std::vector<std::string>& arguments) {
    return arguments.empty() || is_number(arguments.front()) ? std::string() : arguments.front();
}

bool is_nameless(const call_chain& chain, std::size_t at) {
    return at < chain.size() && chain[at]->scopes.empty() && chain[at]->is_system;
}

void take_operator(allocator_run& run, const name_part& function) {
    run.is_own = run.is_new = true;
    run.is_array_new = function.id == "operator new[]";
}

/// Extends the run over the functions that hand a request on and follow each other.
void take_adjacent(const call_chain& chain, allocator_run& run) {
    for (;;) {
        // Inside of the standard library's own resources there are functions without a symbol.
        std::size_t next = run.end;
        while (next > run.begin && is_nameless(chain, next)) {
            ++next;
        }
        if (next >= chain.size() || !hands_on(*chain[next])) {
            return;
        }
        const known_frame& frame = *chain[next];
        if (is_operator_new(frame.scopes)) {
            take_operator(run, frame.scopes.back());
        }
        if (!frame.element.empty()) {
            run.named.push_back(next);
        }
        if (is_pmr(frame)) {
            const std::string& owner = frame.scopes[2].id;
            if (owner == "monotonic_buffer_resource" || owner.ends_with("_pool_resource")) {
                run.arena = "std::pmr::" + owner;
            }
        }
        run.end = next + 1;
    }
}

/// The function that a frame called, where that one has no frame because it ended with a jump to the next one.
std::vector<name_part> jumped_from(const call_chain& chain, std::size_t at) {
    const known_frame& frame = *chain[at];
    if (at != 0 && chain[at - 1]->shown.is_inlined) {
        return {}; // its call is the same as that of the inlined function
    }
    const std::string callee = behind_call(frame).callee();
    return at != 0 && chain[at - 1]->name == callee ? std::vector<name_part>() : scopes_of(callee);
}

/// Extends the run to an allocation function farther out, over the functions that it calls for its memory; false: there is
/// none. What the standard library does in between asks for something else: a list that the function keeps, for example.
bool take_helpers(const call_chain& chain, allocator_run& run, std::size_t first_call) {
    for (std::size_t at = run.end; at < chain.size(); ++at) {
        const std::vector<name_part> jumped =
            at < first_call ? std::vector<name_part>() : jumped_from(chain, at);
        const std::vector<name_part>& own = chain[at]->scopes;
        const bool has_jumped = is_operator_new(jumped);
        if (has_jumped || is_operator_new(own)) {
            const std::vector<name_part>& function = has_jumped ? jumped : own;
            if (function.size() == 1 && run.is_new) {
                return false; // the functions between the two made an object of their own
            }
            take_operator(run, function.back());
        } else if (is_standard_code(*chain[at])) {
            if (own.empty() || own.back().id == "new_object" || !is_any_of(own.back().id, allocating)) {
                return false;
            }
            run.is_own = true;
        } else {
            continue;
        }
        run.end = at;
        return true;
    }
    return false;
}

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

bool is_written_in_c(const known_frame& frame) {
    if (!frame.has_die()) {
        return false;
    }
    Dwarf_Die die = frame.die;
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
    while (at < chain.size() && is_standard_code(*chain[at])) {
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

/// "app+0x5ccca": the return address, which stands behind the call.
std::string address_of(const known_frame& frame) {
    char offset[24];
    std::snprintf(offset, sizeof offset, "0x%llx", static_cast<unsigned long long>(frame.address + 1));
    return frame.shown.module.empty() ? offset : frame.shown.module + '+' + offset;
}

/// The innermost function that is the user's or of another project's library, with a name or without; otherwise the innermost
/// one that has a name, otherwise the innermost. Code that is in no file, because the program generated it, says nothing.
std::size_t owner_in(const call_chain& chain, std::size_t from) {
    std::size_t found = chain.size();
    for (std::size_t i = from; i < chain.size(); ++i) {
        const known_frame& frame = *chain[i];
        if (frame.shown.is_inlined || frame.shown.module.empty()) {
            continue;
        }
        if (!frame.is_system || frame.shown.is_foreign) {
            return i;
        }
        if (found == chain.size() && !frame.shown.function.empty()) {
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
    const known_frame& frame = *chain[owner];
    const std::string inside = frame.shown.is_foreign ? " in " + frame.shown.module : std::string{};
    if (!frame.shown.function.empty()) {
        return "of " + frame.shown.function + inside;
    }
    for (std::size_t i = owner + 1; i != chain.size(); ++i) {
        if (const std::string& caller = chain[i]->shown.function;
            chain[i]->shown.module == frame.shown.module && !caller.empty() && !is_outermost(caller)) {
            return "under " + caller + inside;
        }
    }
    return frame.shown.module.empty() ? "of generated code" : "of " + frame.shown.module;
}

/// Whether a function stands in the standard library's, the system's or Linn's own files.
bool is_system_code(const known_frame& known, const std::string& module) {
    if (is_system_library(module)) {
        return true;
    }
    if (known.shown.file.empty()) {
        return known.scopes.size() > 1 && (is_standard(known.scopes) || known.scopes.front().id == "linn");
    }
    return is_system_file(known.shown.file);
}

/// The element type that a function which allocates for a container names: T of `std::allocator<T>::allocate`, of
/// `std::allocator_traits<A<T>>::allocate`, of a user's allocator; empty: it names none.
std::string element_of(const known_frame& frame) {
    if (frame.scopes.empty()) {
        return {};
    }
    const name_part& function = frame.scopes.back();
    if (function.id == "allocate_object" || function.id == "new_object") {
        return first_type(function.arguments);
    }
    if (function.id.starts_with("__allocate_")) { // a function template over the allocator
        return function.arguments.empty() ? std::string()
                                          : first_type(template_arguments(function.arguments.front()));
    }
    if (frame.scopes.size() < 2) {
        return {};
    }
    const name_part& owner = frame.scopes[frame.scopes.size() - 2];
    if (function.id.starts_with("operator new")) { // a class's own
        return owner.id == "std" ? std::string() : frame.name.substr(0, frame.name.rfind("::operator new"));
    }
    if (!owner.is_template) {
        return {};
    }
    if (owner.id.ends_with("alloc_traits") || owner.id.ends_with("allocator_traits")) {
        return owner.arguments.empty() ? std::string()
                                       : first_type(template_arguments(owner.arguments.front()));
    }
    return first_type(owner.arguments);
}

} // namespace

bool is_own_type(std::string_view type) {
    static constexpr std::array<std::string_view, 15> builtin{
        "bool",     "char", "wchar_t", "char8_t", "char16_t", "char32_t", "short",   "signed",
        "unsigned", "int",  "long",    "float",   "double",   "void",     "__int128"};
    const std::string_view word = type.substr(0, type.find_first_of(" *&<("));
    return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
           !type.starts_with("std::") && !is_any_of(word, builtin);
}

bool is_system_library(std::string_view module) {
    // Programs lie there too: /usr/lib/git-core/git.
    return module.starts_with('[') || ((module.starts_with("/usr/lib") || module.starts_with("/lib")) &&
                                       module.find(".so") != module.npos);
}

bool is_system_file(const std::string& file) {
    const std::string path = std::filesystem::path(file).lexically_normal().string();
    const auto holds = [&path](std::string_view folder) { return path.find(folder) != path.npos; };
    // Where package managers and CMake's FetchContent put what they download.
    constexpr std::array<std::string_view, 4> downloads{"/vcpkg_installed/", "/.conan/", "/.conan2/",
                                                        "/_deps/"};
    const bool is_boost = holds("/boost/") && (path.ends_with(".hpp") || path.ends_with(".ipp"));
    return std::ranges::any_of(downloads, holds) || is_boost || path.empty() ||
           path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
           path.starts_with("/usr/local/include/") || path.starts_with("/rustc/") || holds("/c++/") ||
           holds("/include/linn/");
}

void take_module(known_frame& frame, const std::string& path) {
    frame.element = element_of(frame);
    frame.is_system = is_system_code(frame, path);
    frame.shown.module = path.substr(path.rfind('/') + 1);
    frame.shown.is_own = !path.empty() && !is_system_library(path);
    frame.shown.is_foreign = frame.shown.module.find(".so") != std::string::npos &&
                             !is_runtime_module(path) && (frame.is_system || frame.shown.file.empty());
}

symbol_frame shown_frame(const known_frame& frame) {
    symbol_frame shown = frame.shown;
    if (shown.is_foreign) {
        shown.file.clear(); // of another person's source, on another machine
        shown.line = shown.column = 0;
    }
    return shown;
}

bool is_runtime_module(std::string_view path) {
    static constexpr std::array<std::string_view, 15> runtimes{
        "libc.so", "libc-",       "libc++.so", "libc++abi.so", "libstdc++.so",
        "libm.so", "libgcc_s.so", "libdl.so",  "libpthread",   "librt.so",
        "libnss_", "libresolv",   "ld-linux",  "ld-musl",      "libc.musl"};
    if (path.starts_with('[')) {
        return true;
    }
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(runtimes, [&](std::string_view name) { return file.starts_with(name); });
}

bool is_standard_code(const known_frame& frame) {
    if (!frame.is_system) {
        return false;
    }
    const std::vector<name_part>& scopes = frame.scopes;
    if (scopes.size() > 1) {
        return scopes.front().id == "std" || scopes.front().id == "__gnu_cxx" ||
               scopes.front().id == "__cxxabiv1";
    }
    // Without types (-g1), functions over local types have a bare name, but their header says whose they are.
    return is_runtime_module(frame.shown.module) || frame.shown.file.find("/c++/") != std::string::npos;
}

std::string class_of(const known_frame& frame) {
    const std::vector<name_part>& scopes = frame.scopes;
    return scopes.empty() ? std::string() : readable_name({scopes.begin(), scopes.end() - 1});
}

bool hands_on(const known_frame& frame) {
    if (frame.scopes.empty()) {
        return false;
    }
    return is_any_of(frame.scopes.back().id, allocating) ||
           (frame.scopes.size() == 1 && is_any_of(frame.scopes.back().id, c_functions)) || is_pmr(frame);
}

bool is_operator_new(const std::vector<name_part>& function) {
    return !function.empty() &&
           (function.back().id == "operator new" || function.back().id == "operator new[]");
}

allocator_run find_allocator_run(const call_chain& chain, bool is_recorded_new) {
    allocator_run run;
    while (is_nameless(chain, run.begin)) {
        ++run.begin;
    }
    run.end = run.begin;
    take_adjacent(chain, run);
    std::size_t first_call = is_recorded_new ? 1 : 0; // from which frame on the calls have not been looked at
    while (run.named.empty() && take_helpers(chain, run, first_call)) {
        first_call = run.end + 1;
        take_adjacent(chain, run);
    }
    return run;
}

bool is_c_language(int language) {
    constexpr int c17 = 0x2c; // DWARF 5's addendum, which older headers lack
    constexpr int c23 = 0x3e;
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == c17 || language == c23 || language == DW_LANG_Rust;
}

std::size_t place_of(const call_chain& chain, const allocator_run& run) {
    for (std::size_t i = run.is_own ? run.end : 0; i < chain.size(); ++i) {
        const known_frame& frame = *chain[i];
        if ((!frame.is_system || frame.shown.is_foreign) && !hands_on(frame)) {
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
    const bool is_c_librarys = !run.is_new && is_runtime_module(chain[run.end]->shown.module);
    type.is_library = chain[owner]->is_system || is_c_librarys;
    type.is_c = is_written_in_c(*chain[owner]);
    if (run.named.empty()) {
        return;
    }
    for (std::size_t i = owner; i < chain.size() && type.takes_allocator.empty(); ++i) {
        const known_frame& frame = *chain[i];
        if (i > owner && !chain[i]->is_system) {
            return;
        }
        type.takes_allocator = taker_of(frame, i == owner && calls_allocator, type);
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
    return {size_text(sizes), place_of(chain, owner), address_of(*chain[owner])};
}

} // namespace linn::tool
