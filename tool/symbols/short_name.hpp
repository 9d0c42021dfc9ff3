// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

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
