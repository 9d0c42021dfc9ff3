// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"
#include "../terminal.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

// The files of assets/, as assets.cmake wrote them into the program.
extern const std::string_view style_sheet;
extern const std::string_view script;

} // namespace linn::tool::html

namespace linn::tool::report {

/// The fields as one line, ended by CR and LF, quoted where they must be. Numbers have every digit that distinguishes them and a
/// point in every locale; what is null or no finite number is empty. Text that a spreadsheet would take for a formula gets an
/// apostrophe in front. @source RFC 4180, sections 2.1 to 2.7
std::string csv_line(const std::vector<nlohmann::ordered_json>& fields);

/// The JSON of the document as a file. Bytes from outside that are no UTF-8 are replaced.
std::string render_json(const document& d);

/// The data of the document with a line of headings.
std::string render_csv(const document& d);

/// The document as a page for a browser: one file that loads nothing (docs/guide/report.md).
std::string render_html(const document& d);

/// The document as GitHub's Markdown, to be pasted into an issue. What comes from outside is escaped.
/// @source GitHub Flavored Markdown Spec, section 4.10
std::string render_markdown(const document& d);

/// The text such that GitHub shows it as it is, also within a table: markup, pipes and HTML escaped, one line.
std::string markdown_text(std::string_view text);

/// The document as text for a person: what a reader must know, the answer, then the rest.
std::string render_terminal(const document& d, const output_style& style);

/// A form in which every command can write its document to a file: the option and its help follow from it.
struct output_format {
    const char* option;
    const char* help;
    std::string (*render)(const document&);
};

/// The forms, in the order of their options.
inline constexpr output_format output_formats[]{
    {"--json", "write the result as JSON", &render_json},
    {"--csv", "write the figures as CSV", &render_csv},
    {"--markdown", "write the report as Markdown", &render_markdown},
    {"--html", "write it as a page for a browser", &render_html}, // shows plots, which not every command has
};

} // namespace linn::tool::report
