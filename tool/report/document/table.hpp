// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/quantity.hpp"
#include "markup.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::report {

using namespace figures; // what a report says is made of them

struct block; // document.hpp; include that, a row holds blocks

/// The forms in which something appears.
enum class forms : unsigned {
    nowhere = 0,
    terminal = 1,
    markdown = 2,
    html = 4,
    text = 3,      ///< terminal and Markdown
    screens = 5,   ///< terminal and HTML, which give up columns or scroll
    documents = 6, ///< Markdown and HTML
    everywhere = 7,
};

constexpr bool includes(forms set, forms one) noexcept {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
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
    std::optional<quantity> beside; ///< in brackets behind it
    std::string after;
    emphasis style = emphasis::none; ///< good and bad: a difference that is claimed
    unsigned mark = 0;               ///< of the note that belongs to it, as "[1]"; 0: none

    /// The same cell as a difference that is claimed, or is not.
    cell styled(emphasis how) && {
        style = how;
        return std::move(*this);
    }

    std::string words(lettering letters) const {
        if (!figure) {
            return before;
        }
        return before + figure->text(letters) +
               (beside ? " (" + beside->text(letters) + ')' : std::string{}) + after;
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
    forms shown_in = forms::everywhere;
    cut shorten = cut::never;
    std::size_t least = 12;  ///< letters that are left of a column that is shortened
    std::size_t most = 60;   ///< letters that it may have
    bool goes_below = false; ///< where it is dropped, its cells stand below their rows
};

/// A line of a table.
struct row {
    enum class kind {
        plain,
        heading, ///< stands over the rows that follow; has one cell
        last,    ///< stays at the end of its group, however the rows are sorted: what is no contender
    };

    std::vector<cell> cells; ///< one a column
    emphasis style = emphasis::none;
    kind is = kind::plain;
    std::vector<block> detail = {}; ///< stands below it; in a page folded away, and moves with it
};

/// Rows under headings. The first column names the row.
struct table {
    std::string caption; ///< above it in a page, for those who do not see where it stands as well
    std::vector<column> columns;
    std::vector<row> rows = {};
    std::vector<std::string> remarks = {};     ///< below it: what a reader must know of its columns
    std::optional<std::size_t> sorted_by = {}; ///< the rows were added in ascending order of this column
    std::size_t rows_of_text = static_cast<std::size_t>(-1); ///< text shows no more
    std::string rest = {};                                   ///< what the rows are that `cut` counts
    std::size_t all_rows = 0;                                ///< those that no form shows too; 0: not counted

    /// Adds a row. @pre as many cells as columns
    row& add(std::vector<cell> cells, emphasis style = emphasis::none);

    /// Adds a heading over the rows that follow.
    void add_heading(std::string words);

    /// Says that there are `all` rows, of which text shows `in_text`: "types".
    void cut(std::size_t in_text, std::size_t all, std::string what);

    /// The rows that a page or, of a text, that text shows; a remark says how many more there are.
    table part(bool of_text) const;
};

} // namespace linn::tool::report
