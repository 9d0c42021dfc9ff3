// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace linn::tool {

/// Takes the program and its arguments, which stand behind a command's options, with or without "--" before them.
/// Returns an empty string, or what is wrong with them.
std::string take_program_words(const CLI::App& app, std::vector<std::string>& words);

} // namespace linn::tool
