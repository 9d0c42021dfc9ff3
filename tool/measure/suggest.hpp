// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

inline bool contains(const std::vector<std::string>& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

/// The candidate that the user probably meant, or an empty string when none is close.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// The same as the end of a message: "; did you mean 'object'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "unknown scenario 'objcet'; the scenarios are: object, sizes; did you mean 'object'?"
std::string unknown_name(std::string_view kind, std::string_view word, const std::vector<std::string>& names);

/// That message for the first of the words that is none of `names`. @throws wrong_arguments
void refuse_unknown(std::string_view kind, const std::vector<std::string>& words,
                    const std::vector<std::string>& names);

/// The words as one would type them into a shell, quoted where they must be: always one line. Control characters are
/// written as bash, zsh and ksh read them in $'...'.
std::string shell_words(const std::vector<std::string>& words);

/// A file's name as an argument of a command: one that begins with '-' gets "./" in front, so that it is no option.
std::string shell_file(const std::string& name);

} // namespace linn::tool
