// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The words of a command line as a POSIX shell splits them: quotes and backslashes are taken away, nothing is expanded.
/// A quote that is not closed ends with the text. @source JSON Compilation Database Format, field "command"
std::vector<std::string> command_words(std::string_view text);

} // namespace linn::tool
