// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"

#include <string>
#include <string_view>

namespace linn::tool::report {

/// The document as GitHub's Markdown, to be pasted into an issue. What comes from outside is escaped.
/// @source GitHub Flavored Markdown Spec, section 4.10
std::string render_markdown(const document& d);

/// The text such that GitHub shows it as it is, also within a table: markup, pipes and HTML escaped, one line.
std::string markdown_text(std::string_view text);

} // namespace linn::tool::report
