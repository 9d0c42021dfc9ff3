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

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// As one would type it in $'...'.
std::string escaped(char c) {
    if (c == '\n' || c == '\t' || c == '\r') {
        return c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    }
    if (is_control(c)) {
        const auto code = static_cast<unsigned char>(c);
        return {'\\', static_cast<char>('0' + code / 64), static_cast<char>('0' + code / 8 % 8),
                static_cast<char>('0' + code % 8)};
    }
    return c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
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
        if (std::any_of(word.begin(), word.end(), is_control)) {
            line += "$'";
            for (const char c : word) {
                line += escaped(c);
            }
            line += '\'';
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

std::string shell_file(const std::string& name) {
    return shell_words({name.starts_with('-') ? "./" + name : name});
}

} // namespace linn::tool
