// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "../plots/figure.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool::html {

/// One column of a table in a page.
struct html_column {
    std::string heading;
    std::string group = {}; ///< adjacent columns with the same group share a heading above
    bool is_text = false;   ///< left-aligned and sorted as words; else right-aligned and sorted as numbers
};

/// One cell: what it shows, and what it sorts by where that is a number.
struct html_cell {
    markup shows;
    std::optional<double> number = {};
};

/// A table that its reader can sort by any column, within its groups. The first column names the row.
class html_table {
public:
    /// `caption` is its title, for those who do not see where it stands as well.
    html_table(std::string caption, std::vector<html_column> columns);

    /// Starts a group of rows under a heading.
    void add_group(const markup& heading);

    /// @pre as many cells as columns
    void add_row(std::vector<html_cell> cells, emphasis style = emphasis::none);

    /// What belongs to the row added last: stands below it, over all columns, and moves with it.
    void add_detail(const markup& detail);

    /// A row that stays at the end of its group, however it is sorted: what is no contender.
    void add_footnote_row(std::vector<html_cell> cells);

    /// Says that rows were added in ascending order of this column.
    void sorted_by(std::size_t column) noexcept { sorted_by_ = column; }

    bool empty() const noexcept { return rows_ == 0; }
    markup draw() const;

private:
    struct group {
        markup heading;
        markup rows;
        markup last;
    };

    markup head() const;
    markup row_of(const std::vector<html_cell>& cells, const std::string& style) const;

    std::string caption_;
    std::vector<html_column> columns_;
    std::vector<group> groups_;
    std::size_t rows_ = 0;
    std::optional<std::size_t> sorted_by_;
};

} // namespace linn::tool::html
