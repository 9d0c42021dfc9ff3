// SPDX-License-Identifier: Apache-2.0
// How a command makes its report
//
// A command builds one `document` of its result: `commands/<command>_report.cpp`. It decides what is said, in which order, and with
// which figures. The renderers of `render/` write the document as text for a terminal, Markdown, CSV and a page; they know
// no command, judge nothing and compute nothing. The document also makes the JSON, from the result itself.
// `commands/check_report.cpp` is a short one: figures are never strings, the columns of a table say what a narrow terminal does to
// them, and CSV has values of the JSON.
//
// Everything in the document appears in every form, unless `forms` says otherwise: Markdown says what a terminal says.
// Figures are `quantity`, which alone decides how a number is written. A table gives up columns, cuts text and wraps prose by
// itself, as its columns allow.
#pragma once

#include "../../measure/quantity.hpp"

#include <linn/version.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace linn::tool {

/// The version of the tool, which is the library's: "0.3.0".
inline std::string version_text() {
    return std::to_string(LINN_VERSION_MAJOR) + '.' + std::to_string(LINN_VERSION_MINOR) + '.' +
           std::to_string(LINN_VERSION_PATCH);
}

} // namespace linn::tool

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

markup text(std::string_view plain);

/// `<name …>content</name>`; without content `<name …/>` where `name` is an element of SVG or a void one of HTML.
markup element(std::string_view name, attributes list, const markup& content);
markup element(std::string_view name, const markup& content);
markup empty_element(std::string_view name, attributes list);

} // namespace linn::tool::html

namespace linn::tool::report {

using namespace figures; // what a report says is made of them
using figures::figure_of;

/// A count, or what is measured in whole units.
template <std::integral Count>
quantity figure_of(unit what, Count n) {
    return figure_of(what, static_cast<double>(n));
}

struct block; // below; a row holds blocks

/// How a row, a cell or a mark of a plot is set apart; always by weight or shape as well as by colour.
enum class emphasis {
    none,
    ours,  ///< Linn's own
    muted, ///< the control
    good,  ///< a verdict: better than the default
    bad,   ///< a verdict: worse
};

/// Where something appears: in text, which is for a terminal or Markdown, on the page, or in both.
enum class forms { everywhere, text, page };

constexpr bool includes(forms set, forms one) noexcept {
    return set == forms::everywhere || set == one;
}

/// One place of a table: words, a figure, or both.
struct cell {
    cell() = default;
    cell(std::string words) : before{std::move(words)} {}
    cell(std::string_view words) : before{words} {}
    cell(const char* words) : before{words} {}
    cell(const quantity& q) : figure{q} {}
    cell(std::string words, const quantity& q, std::string rest = {})
        : before{std::move(words)},
          figure{q},
          after{std::move(rest)} {}

    std::string before;             ///< the figure; all where there is none
    std::optional<quantity> figure; ///< the table sorts by it
    std::string after;
    emphasis style = emphasis::none; ///< good and bad: a difference that is claimed

    /// The same cell as a difference that is claimed, or is not.
    cell styled(emphasis how) && {
        style = how;
        return std::move(*this);
    }

    std::string words(lettering letters) const {
        return figure ? before + figure->text(letters) + after : before;
    }
};

/// What a terminal does to a column of text that is too wide.
enum class cut {
    never,
    end,   ///< "a long sent..."
    front, ///< "...r/cache.cpp:110"
    type,  ///< a C++ type, from the inside: "std::list<...>"
};

/// One column of a table.
struct column {
    std::string heading;
    std::string group = {}; ///< adjacent columns with the same group share a heading above
    bool is_text = false;   ///< text stands left, figures right
    unsigned droppable = 0; ///< where a terminal is too narrow, the highest number goes first; 0: never
    cut shorten = cut::never;
    std::size_t least = 12; ///< letters that are left of a column that is shortened
    std::size_t most = 60;  ///< letters that it may have
};

/// A line of a table.
struct row {
    std::vector<cell> cells; ///< one a column
    emphasis style = emphasis::none;
    bool is_heading = false;        ///< stands over the rows that follow, and has one cell
    std::vector<block> detail = {}; ///< stands below it; in a page folded away, and moves with it
};

/// Rows under headings. The first column names the row.
struct table {
    std::string caption; ///< above it in a page, for those who do not see where it stands as well
    std::vector<column> columns;
    std::vector<row> rows = {};
    std::vector<std::string> remarks = {}; ///< below it: what a reader must know of its columns
    std::size_t rows_of_text = static_cast<std::size_t>(-1); ///< text shows no more
    std::string rest = {};                                   ///< what the rows are that `cut` counts
    std::size_t all_rows = 0;                                ///< those that no form shows too; 0: not counted

    /// Adds a row. @pre as many cells as columns
    row& add(std::vector<cell> cells, emphasis style = emphasis::none);

    void add_heading(std::string words);

    /// Says that there are `all` rows, of which text shows `in_text`: "types".
    void cut(std::size_t in_text, std::size_t all, std::string what);

    /// The rows that a page or, of a text, that text shows, without columns that are empty in all of them; a remark says how many more
    /// rows there are.
    table part(bool of_text) const;
};

struct paragraph {
    std::string text;
    bool is_strong = false;
};

/// Sentences that stand for themselves, one below the other.
struct list {
    std::vector<std::string> lines;
    std::string heading = {};                                 ///< above them; empty: none
    std::size_t lines_of_text = static_cast<std::size_t>(-1); ///< text shows no more

    /// Those that text shows, and how many more there are.
    std::vector<std::string> part_of_text() const;
};

/// Names and what belongs to them; an entry without words is left out.
struct facts {
    std::vector<std::pair<std::string, cell>> entries;
};

/// Lines that stay as they are: a change, a command, the output of a program.
struct code {
    std::string text;
    bool is_diff = false; ///< lines that begin with "-" go, those with "+" come
};

struct subheading {
    std::string text;
};

/// A plot, which only a page can show. `draw` is called when the page is written, and the result must live until then; it may
/// draw nothing.
struct picture {
    std::function<html::markup()> draw;
    std::string caption = {};
};

/// Content that a page folds away until the reader opens it, and text leaves out.
struct fold {
    std::string summary;
    std::vector<block> blocks;
    std::string brief = {}; ///< lines that text shows instead
};

struct block {
    std::variant<paragraph, list, facts, code, subheading, table, picture, fold> content;
    forms shown_in = forms::everywhere;
};

struct section {
    std::string id; ///< the page's contents lead to it
    std::string title;
    std::vector<block> blocks = {};
    forms titled_in = forms::everywhere; ///< the others show the blocks alone

    template <class Content>
    void add(Content content, forms shown_in = forms::everywhere) {
        blocks.emplace_back(std::move(content), shown_in);
    }
};

/// The figures of a result with every digit, under names that do not change (docs/reference/csv.md).
struct data_table {
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows; ///< a value for each column
};

/// The whole report of a command.
struct document {
    std::string command;       ///< "linn run"
    std::string subject = {};  ///< the program, or what else it is about; may be empty
    std::string question = {}; ///< that the lead answers
    std::string started = {};  ///< when it was measured, in ISO 8601; may be empty
    std::string machine = {};  ///< on which; may be empty
    /// What a reader must know before all else, such as that the result is partial; may be empty.
    std::string alert = {};
    std::string lead = {}; ///< the answer in a sentence, or a few: each line of it begins one
    std::vector<block> introduction = {};
    std::deque<section> sections = {};      // references to them stay
    std::vector<std::string> warnings = {}; ///< what weakens the result
    std::string provenance = {};            ///< version, date and machine, in a line below text; may be empty
    // Made when they are written; the result must live until then.
    std::function<nlohmann::ordered_json()> json = {}; ///< all of the result: docs/reference/NAME-json.md
    std::function<data_table()> data = {};             ///< what CSV shows

    template <class Content>
    void add(Content content, forms shown_in = forms::everywhere) {
        introduction.emplace_back(std::move(content), shown_in);
    }

    section& add_section(std::string id, std::string name, forms titled_in = forms::everywhere) {
        return sections.emplace_back(section{std::move(id), std::move(name), {}, titled_in});
    }
};

std::size_t letters_of(std::string_view text) noexcept;

/// Where in a text its letter of that number, from 0 on, begins; the size of the text where it has no such letter.
std::size_t byte_of_letter(std::string_view text, std::size_t letter) noexcept;

/// The words, or as many letters of them as are allowed, the last one an ellipsis.
std::string shortened(std::string_view words, std::size_t most_letters);

std::string capitalised(std::string_view words);

/// "2026-11-21 11:45 UTC" from "2026-11-21T11:45:35Z".
std::string date_text(const std::string& iso);

/// Without empty parts.
std::string joined(std::vector<std::string> parts, std::string_view separator);

std::vector<std::string> lines_of(const std::string& text);

} // namespace linn::tool::report
