// SPDX-License-Identifier: Apache-2.0
// Texts of a kind that the tool reads, a little damaged: changed bytes, inserted words, lines that are missing or there twice.
#pragma once

#include "input.hpp"
#include "operations.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace linn_fuzz {

struct text_state {
    std::string text;
    std::span<const std::string_view> words; ///< of its language

    std::size_t place(std::size_t n) const { return text.empty() ? 0 : n % text.size(); }
    /// Where the n-th line begins.
    std::size_t line(std::size_t n) const {
        const std::size_t at = text.rfind('\n', place(n));
        return at == std::string::npos ? 0 : at + 1;
    }
    std::string line_at(std::size_t begin) const {
        return text.substr(begin, text.find('\n', begin) - begin + 1);
    }
};

struct change_byte {
    explicit change_byte(input& in) : where{in.below(1 << 12)}, value{in.byte()} {}
    void perform(text_state& s) const {
        if (!s.text.empty()) {
            s.text[s.place(where)] = static_cast<char>(value);
        }
    }
    std::size_t where;
    std::size_t value;
};

struct insert_word {
    explicit insert_word(input& in) : where{in.below(1 << 12)}, which{in.byte()} {}
    void perform(text_state& s) const {
        constexpr std::string_view marks[] = {"[",           "]", "\"", "'",    "\\",   "\\u0000",
                                              "\\Uffffffff", "=", "\n", "\r\n", "#",    "true",
                                              "_",           "9", "-1", " ",    "\xc3", "\0"};
        const std::size_t i = which % (std::size(marks) + s.words.size());
        s.text.insert(s.place(where), i < std::size(marks) ? marks[i] : s.words[i - std::size(marks)]);
    }
    std::size_t where;
    std::size_t which;
};

struct remove_bytes {
    explicit remove_bytes(input& in) : where{in.below(1 << 12)}, count{in.below(64)} {}
    void perform(text_state& s) const { s.text.erase(s.place(where), count); }
    std::size_t where;
    std::size_t count;
};

struct copy_line {
    explicit copy_line(input& in) : from{in.below(1 << 12)}, to{in.below(1 << 12)} {}
    void perform(text_state& s) const {
        if (s.text.size() < (1 << 16)) {
            s.text.insert(s.line(to), s.line_at(s.line(from)));
        }
    }
    std::size_t from;
    std::size_t to;
};

struct remove_line {
    explicit remove_line(input& in) : where{in.below(1 << 12)} {}
    void perform(text_state& s) const {
        const std::size_t begin = s.line(where);
        s.text.erase(begin, s.line_at(begin).size());
    }
    std::size_t where;
};

/// A good text with a few changes: with more, nothing would be left to read.
inline std::string changed_text(std::string_view good, std::span<const std::string_view> words, input& in) {
    text_state state{std::string{good}, words};
    for (std::size_t changes = in.below(6); changes != 0; --changes) {
        operations<text_state, often<change_byte, 3>, often<insert_word, 3>, remove_bytes,
                   often<copy_line, 3>, often<remove_line, 2>>::one(state, in);
    }
    return state.text;
}

} // namespace linn_fuzz
