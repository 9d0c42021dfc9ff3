// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::tool {

/// What the report may use of the place it goes to.
struct output_style {
    std::size_t width = 100;
    bool colour = false;
    bool keeps_columns = false; ///< tables keep their width, because a file cannot be widened
};

/// Whether text is bold: on a terminal, always, or never.
enum class colour_choice { automatic, always, never };

/// What --color says; to be called before any style is asked for.
void choose_colour(colour_choice choice) noexcept;

/// The style for standard output: COLUMNS or the terminal's width; colour on a terminal only, and not under NO_COLOR or
/// TERM=dumb, unless choose_colour says otherwise. In a pipe or a file without COLUMNS prose is 100 wide, and tables have all their columns.
output_style style_of_stdout();

/// The same for standard error.
output_style style_of_stderr();

/// The width of the terminal behind standard error, or 0 when it is none.
std::size_t stderr_terminal_width();
/// Its height likewise.
std::size_t stderr_terminal_height();

/// The text in bold where the style allows it.
std::string bold(const output_style& style, std::string_view text);

/// Breaks prose at spaces to fit `width`; every line after the first starts with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

} // namespace linn::tool
