// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rows.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool::live {

enum class line_style : std::uint8_t { plain, strong, heading, faint };

/// A line of the screen, not wider than it.
struct screen_line {
    std::string text;
    line_style style = line_style::plain;
};

/// What the user has chosen.
struct view_choice {
    sort_key sort = sort_key::rate;
    double window = 10; ///< seconds of growth
    bool is_paused = false;
    std::size_t first_row = 0;
};

/// What stands on the screen.
struct screen_text {
    std::vector<screen_line> lines; ///< as many as the screen has
    std::size_t first_row = 0;      ///< of the table: that of the choice, or the last that fills the screen
    std::size_t rows = 0;           ///< of the table that are shown
};

/// The view on a screen of so many columns and lines. `output`: what the program wrote last, line by line.
screen_text lay_out(const std::string& program, const live_table& table, const view_choice& choice,
                    const std::vector<std::string>& output, std::size_t columns, std::size_t lines);

/// The table in one line, for a log.
std::string one_line(const live_table& table);

} // namespace linn::tool::live
