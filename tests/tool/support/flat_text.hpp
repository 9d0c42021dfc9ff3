// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace linn::tool::testing {

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
