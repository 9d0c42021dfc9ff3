// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"
#include "../terminal.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::report {

/// How many letters a text has.
std::size_t letters_of(std::string_view text) noexcept;

/// The text without what steers a terminal: line ends and their like become spaces.
std::string printable(std::string text);

/// The text, or as many letters of it as `width` holds with "..." at its end, or at its front. @pre `width` is at least 3
std::string cut_text(const std::string& text, std::size_t width, cut where);

/// A table as aligned columns. Where it is wider than the terminal, columns are given up in the order of `droppable`, then text
/// is cut; what is left of the room goes to the columns that were cut.
class text_table {
public:
    text_table(const table& t, const output_style& style);

    /// The lines, each ended by a newline. `detail` writes what stands below a row.
    std::string lines(const std::function<std::string(const row&)>& detail) const;

    /// The headings of the columns that were given up.
    std::vector<std::string> hidden() const;

private:
    struct laid_out {
        std::size_t column;
        std::size_t width;
        std::vector<std::string> cells; ///< one a row that has cells
    };

    void read_columns();
    void give_up_columns();
    void share_room();
    std::size_t least_of(const laid_out& c) const;
    std::size_t gap_before(std::size_t position) const;
    std::size_t width(bool at_least) const;
    std::string group_line() const;
    std::string line(const std::function<const std::string&(const laid_out&)>& cell_of) const;
    std::string below(const row& r) const;

    const table* table_;
    output_style style_;
    std::vector<laid_out> columns_;
    std::vector<std::size_t> dropped_; // columns of the table
};

} // namespace linn::tool::report
