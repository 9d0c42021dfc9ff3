// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace linn::tool::html {

/// HTML that is safe to stand in a page. Names and paths come from outside; they get in here through `text` and
/// `attribute` alone, which escape them, so that a forgotten escape does not compile.
class markup {
public:
    markup() = default;

    /// Takes over what is HTML already: literals of this program and its style sheet, never what came from outside.
    static markup trusted(std::string_view html) {
        markup m;
        m.text_ = html;
        return m;
    }

    const std::string& str() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }
    markup& operator+=(const markup& more) {
        text_ += more.text_;
        return *this;
    }
    friend markup operator+(markup a, const markup& b) { return a += b; }

private:
    std::string text_;
};

/// One attribute; the value is escaped when it is written.
struct attribute {
    std::string_view name;
    std::string value;
};

using attributes = std::initializer_list<attribute>;

/// The text with the five special characters as entities, control characters left out and bytes that are no UTF-8
/// replaced by U+FFFD.
std::string escape(std::string_view text);

/// Numbers the things of a page, so that titles can be referred to by id.
class id_source {
public:
    std::string next(std::string_view kind) { return std::string{kind} + '-' + std::to_string(++last_); }

private:
    unsigned last_ = 0;
};

/// Plain text.
markup text(std::string_view plain);

/// `<name …>content</name>`; without content `<name …/>` where `name` is an element of SVG or a void one of HTML.
markup element(std::string_view name, attributes list, const markup& content);
markup element(std::string_view name, const markup& content);
markup empty_element(std::string_view name, attributes list);

} // namespace linn::tool::html

namespace linn::tool::report {

/// How many letters a text has.
std::size_t letters_of(std::string_view text) noexcept;

/// Where in a text its letter of that number, from 0 on, begins; the size of the text where it has no such letter.
std::size_t byte_of_letter(std::string_view text, std::size_t letter) noexcept;

/// The words, or as many letters of them as are allowed, the last one an ellipsis.
std::string shortened(std::string_view words, std::size_t most_letters);

/// The words with a capital letter first.
std::string capitalised(std::string_view words);

/// How a row, a cell or a mark of a plot is set apart; always by weight or shape as well as by colour.
enum class emphasis {
    none,
    ours,  ///< Linn's own
    muted, ///< the control
    good,  ///< a verdict: better than the default
    bad,   ///< a verdict: worse
};

} // namespace linn::tool::report
