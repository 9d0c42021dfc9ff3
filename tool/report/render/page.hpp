// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "../plots/figure.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::html {

/// A part of a page with a heading of the second level, which the contents list names.
struct section {
    std::string id;
    std::string title;
    markup content;
};

/// What stands in the frame of every report.
struct page {
    std::string title;   ///< of the window
    std::string heading; ///< the one of the first level
    std::string kicker;  ///< a line above it: command, date, machine
    std::string lead;    ///< the answer in a sentence; large
    std::string
        alert; ///< what a reader must know before all else, such as that the result is partial; may be empty
    markup introduction; ///< between the lead and the contents: findings, the key plot
    std::vector<section> sections;
    std::string footer;
};

/// The whole file. It holds its style and its script, and a policy that forbids it to load anything.
std::string render(const page& p);

/// A paragraph.
markup paragraph(std::string_view plain);

/// Names and what belongs to them.
markup description_list(const std::vector<std::pair<std::string, std::string>>& entries);

// The files of assets/, as embed.cmake wrote them into the program.
extern const std::string_view style_sheet;
extern const std::string_view script;
extern const std::string_view script_hash; ///< SHA-256 in base 64, for the page's policy

} // namespace linn::tool::html
