// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "terminal.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// One column of a table.
struct table_column {
    std::string heading;
    std::string group;    ///< columns beside each other with the same group share a heading above
    bool is_text = false; ///< text is left-aligned, numbers are right-aligned
    unsigned droppable =
        0; ///< when the table is too wide, columns with the highest number go first; 0: never
};

/// The text, or as much of it as `width` bytes hold with "..." at its end; a cut never divides a code point.
std::string cut_text(const std::string& text, std::size_t width);

/// A plain table of aligned columns that gives up columns to fit the width.
class table {
public:
    explicit table(std::vector<table_column> columns);

    /// Adds a row with one cell a column. @pre `cells` has as many entries as the table has columns
    void add_row(std::vector<std::string> cells, bool emphasised = false);

    /// Adds a line of text over the rows that follow; it takes no part in the widths of the columns, and is cut where
    /// it is wider than the table may be.
    void add_heading(std::string text);

    /// The lines of the table, each ended by a newline and none wider than `style.width` unless the columns that
    /// may not be dropped need more, or all are kept.
    std::string render(const output_style& style) const;

    /// The headings of the columns that `render` drops in that style.
    std::vector<std::string> dropped(const output_style& style) const;

private:
    struct line {
        std::vector<std::string> cells; ///< a single one, and more columns: a heading
        bool emphasised;
    };

    bool is_heading(const line& l) const noexcept { return l.cells.size() == 1 && columns_.size() > 1; }

    std::vector<std::size_t> visible(const output_style& style) const;
    std::size_t total_width(const std::vector<std::size_t>& columns) const;
    std::string group_line(const std::vector<std::size_t>& columns) const;
    std::size_t gap_before(const std::vector<std::size_t>& columns, std::size_t position) const;

    std::vector<table_column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<line> lines_;
};

} // namespace linn::tool
