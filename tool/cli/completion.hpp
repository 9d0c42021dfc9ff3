// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_help.hpp"

#include <string>
#include <vector>

namespace linn::tool {

// Scripts that complete the words of `linn`: all that it knows is in them, so completing starts no process.
std::string bash_completion(const std::vector<command_help>& commands);
std::string zsh_completion(const std::vector<command_help>& commands);
std::string fish_completion(const std::vector<command_help>& commands);

} // namespace linn::tool
