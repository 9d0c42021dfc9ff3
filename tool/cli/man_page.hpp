// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_words.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The manual page of a command, or of the program where `command` has no name; the same words as --help.
/// @source man(7)
std::string man_page(const command_words& cmd, const std::vector<command_words>& all);

} // namespace linn::tool
