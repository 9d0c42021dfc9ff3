// SPDX-License-Identifier: Apache-2.0
#include "command_words.hpp"

namespace linn::tool {
namespace {

bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Within double quotes a backslash means itself unless one of these follows.
bool is_escaped_in_quotes(char c) noexcept {
    return c == '"' || c == '\\' || c == '$' || c == '`';
}

} // namespace

std::vector<std::string> command_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false; // a word has begun, though it may be empty: ''
    char quote = 0;
    for (std::size_t i = 0; i != text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 != text.size() ? text[i + 1] : '\0';
        if (quote == '\'' && c != '\'') {
            word += c;
        } else if (quote != 0 && c == quote) {
            quote = 0;
        } else if (c == '\\' && i + 1 != text.size() && (quote == 0 || is_escaped_in_quotes(next))) {
            word += next;
            inside = true;
            ++i;
        } else if (quote != 0) {
            word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (is_space(c)) {
            if (inside) {
                words.push_back(std::move(word));
            }
            word.clear();
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (inside) {
        words.push_back(std::move(word));
    }
    return words;
}

} // namespace linn::tool
