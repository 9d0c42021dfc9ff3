// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace linn::tool {

/// The words as one would type them into a shell, quoted where they must be: always one line. Control characters are
/// written as bash, zsh and ksh read them in $'...'.
std::string shell_words(const std::vector<std::string>& words);

/// A file's name as an argument of a command: one that begins with '-' gets "./" in front, so that it is no option.
std::string shell_file(const std::string& name);

} // namespace linn::tool
