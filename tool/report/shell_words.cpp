// SPDX-License-Identifier: Apache-2.0
#include "shell_words.hpp"

#include <algorithm>
#include <string_view>

namespace linn::tool {
namespace {

bool is_plain(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    // Bytes above 127 belong to letters of other scripts.
    return is_letter || static_cast<unsigned char>(c) > 127 ||
           std::string_view{"%+,-./:=@_"}.find(c) != std::string_view::npos;
}

} // namespace

std::string shell_words(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += line.empty() ? "" : " ";
        if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) {
            line += c == '\'' ? std::string{"'\\''"} : std::string{c};
        }
        line += '\'';
    }
    return line;
}

} // namespace linn::tool
