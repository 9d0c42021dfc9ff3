// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// One scope of a qualified C++ name: "unordered_map" with the arguments "int", "Order", …
struct name_part {
    std::string id;
    std::vector<std::string> arguments;
    bool is_template = false;
};

/// Whether a name may hold the character: a letter, a digit, '_' or '$'.
bool is_word(char c);

/// The name of a symbol of C++, Rust or D; the text itself where it is not mangled. Without libiberty, those of D and Rust are
/// not decoded.
std::string demangle(const std::string& mangled);

/// The C++ name of a type as RTTI has it ("N5shape6CircleE"); the text itself where it is none.
std::string demangle_type(std::string mangled);

/// A demangled function without its return type, its parameters, and what compilers append to clones.
std::string without_parameters(std::string_view demangled);

/// The scopes of a name, outermost first, without inline namespaces of the standard libraries (std::__cxx11), ABI tags
/// and unnamed namespaces.
std::vector<name_part> scopes_of(std::string_view name);

/// The scopes joined again, without the arguments: "std::vector".
std::string plain_name(const std::vector<name_part>& scopes);

/// The scopes joined again, with readable arguments.
std::string readable_name(const std::vector<name_part>& scopes);

/// A type as a person writes it: no default arguments, std::string instead of its template, const in front.
std::string readable_type(std::string_view type);

/// The arguments of the last scope of a type; empty where it is no template.
std::vector<std::string> template_arguments(std::string_view type);

/// Without `const`, `volatile` and references around it.
std::string_view without_qualifiers(std::string_view type);

/// Where a word stands in a text, as a word; npos: nowhere.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

/// Where the bracket that opens at `at` has closed: the position behind it, or the end.
std::size_t skip_bracket(std::string_view text, std::size_t at);

/// A type's readable name in at most `width` characters, shortened from the inside: first the arguments of the innermost
/// templates go ("..."), then the namespaces of arguments, then all arguments, then the outer namespace, and last the end of
/// the text. Any text is taken; what is short enough stays as it is.
/// @complexity O(n^2) in the length of the name at worst
std::string short_type(std::string_view type, std::size_t width);

/// The same for the rows of one table: names that differ stay different, if `width` has room for 12 characters.
std::vector<std::string> short_types(const std::vector<std::string>& types, std::size_t width);

/// The name without the arguments of templates that are not the standard library's: "std::list<geo::node<...>>" of
/// "std::list<geo::node<int, 3>>". Equal for all instantiations of a class template.
std::string template_family(std::string_view type);

} // namespace linn::tool
