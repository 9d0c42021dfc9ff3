// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// The document as a page for a browser: one file that loads nothing (docs/guide/report.md).
std::string render_html(const document& d);

} // namespace linn::tool::report
