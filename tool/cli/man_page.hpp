// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_help.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The manual page of a command, or of the program where `command` has no name; the same words as --help.
/// @source man(7)
std::string man_page(const command_help& cmd, const std::vector<command_help>& all);

} // namespace linn::tool
