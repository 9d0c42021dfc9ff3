// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// The document as GitHub's Markdown, to be pasted into an issue. What comes from outside is escaped.
/// @source GitHub Flavored Markdown Spec, section 4.10
std::string render_markdown(const document& d);

} // namespace linn::tool::report
