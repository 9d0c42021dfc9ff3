// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace linn::tool::html {

// The files of assets/, as embed.cmake wrote them into the program.
extern const std::string_view style_sheet;
extern const std::string_view script;
extern const std::string_view script_hash; ///< SHA-256 in base 64, for the page's policy

} // namespace linn::tool::html
