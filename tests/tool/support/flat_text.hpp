// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::tool::testing {

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// How often the part is in the text.
inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

/// Lines joined and spaces made one, so that a wrapped sentence is found.
inline std::string flat(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c != '\n' && c != ' ') {
            out += c;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    return out;
}

} // namespace linn::tool::testing
