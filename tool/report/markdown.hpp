// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The text such that GitHub shows it as it is, also within a table: markup, pipes and HTML escaped, one line.
std::string markdown_text(std::string_view text);

/// One column of a Markdown table.
struct markdown_column {
    std::string heading;  ///< as it shall be read; it is escaped
    bool is_text = false; ///< text is left-aligned, numbers are right-aligned
};

/// A table in GitHub's Markdown, ended by a newline. The cells are Markdown already: `markdown_text` what comes from outside.
/// @pre every row has a cell a column @source GitHub Flavored Markdown Spec, section 4.10
std::string markdown_table(const std::vector<markdown_column>& columns,
                           const std::vector<std::vector<std::string>>& rows);

} // namespace linn::tool
