// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"
#include "../terminal.hpp"

#include <string>

namespace linn::tool::report {

/// The document as text for a person: what a reader must know, the answer, then the rest.
std::string render_terminal(const document& d, const output_style& style);

} // namespace linn::tool::report
