// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_READABLE_NAME_HPP
#define LINN_DETAIL_CORE_READABLE_NAME_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

inline constexpr bool is_identifier_char(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces each `from` that does not begin in the middle of a word.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
        if (at != 0 && is_identifier_char(text[at - 1]) && is_identifier_char(from.front())) {
            at += from.size();
        } else {
            text.replace(at, from.size(), to);
            at += to.size();
        }
    }
}

/// One past the template argument that begins at `at`: at its comma or closing bracket.
inline std::size_t end_of_argument(std::string_view text, std::size_t at) noexcept {
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (depth == 0 && (c == ',' || c == '>')) {
            break;
        }
        depth += c == '<' || c == '(' || c == '{' ? 1 : 0;
        depth -= c == '>' || c == ')' || c == '}' ? 1 : 0;
    }
    return at;
}

/// A type's name as people write it: without the inline namespaces of the standard libraries and of
/// Linn, and without template arguments that are usually defaults: allocators, traits, comparisons and
/// hashes that come after the first argument. What is left may name several types; the full name
/// is in `pool_statistics::type`.
inline std::string readable_name(std::string_view name) {
    std::string text{name};
    replace_all(text, "__cxx11::", "");
    replace_all(text, "std::__1::", "std::");
    replace_all(text, "std::__debug::", "std::");
#define LINN_DETAIL_TEXT_(x) #x
#define LINN_DETAIL_TEXT(x) LINN_DETAIL_TEXT_(x)
    replace_all(text, "linn::" LINN_DETAIL_TEXT(LINN_ABI) "::", "linn::");
#undef LINN_DETAIL_TEXT
#undef LINN_DETAIL_TEXT_
    replace_all(text, "{anonymous}::", "");
    replace_all(text, "(anonymous namespace)::", "");
    replace_all(text, "> >", ">>");

    constexpr std::string_view defaults[] = {
        "std::allocator<", "std::char_traits<",    "std::less<",       "std::equal_to<",
        "std::hash<",      "std::default_delete<", "linn::allocator<", "__gnu_cxx::_S_atomic"};
    for (std::size_t comma = text.find(", "); comma != std::string::npos;) {
        bool cut = false;
        for (const std::string_view d : defaults) {
            cut = cut || std::string_view{text}.substr(comma + 2, d.size()) == d;
        }
        if (cut) {
            text.erase(comma, end_of_argument(text, comma + 2) - comma);
            comma = text.find(", ", comma);
        } else {
            comma = text.find(", ", comma + 2);
        }
    }
    replace_all(text, "> >", ">>");
    replace_all(text, "std::basic_string<char>", "std::string");
    replace_all(text, "std::basic_string_view<char>", "std::string_view");
    return text;
}

} // namespace linn::inline LINN_ABI::detail

#endif
