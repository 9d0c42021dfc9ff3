// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verb_words.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The manual page of a verb, or of the program where `verb` has no name; the same words as --help.
/// @source man(7)
std::string man_page(const verb_words& verb, const std::vector<verb_words>& all);

} // namespace linn::tool
