// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace linn::tool {

/// Text to put in the place of other text.
struct lint_replacement {
    std::string file;
    std::size_t offset = 0; ///< bytes
    std::size_t length = 0; ///< bytes
    std::string text;

    friend auto operator<=>(const lint_replacement&, const lint_replacement&) = default;
};

/// One message of clang-tidy with its place, as its file of fixes tells it.
struct tidy_message {
    std::string text;
    std::string file; ///< absolute without . and ..; empty where the message has no place
    std::size_t offset = 0;
    std::vector<lint_replacement> fix;
};

/// One diagnostic.
struct tidy_diagnostic {
    std::string name;  ///< "linn-zero-fill", "clang-diagnostic-error"
    std::string level; ///< "Warning", "Error" …
    tidy_message message;
    std::vector<tidy_message> notes;
};

/// A file of fixes that is not one.
class unreadable_report : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The diagnostics in the YAML that clang-tidy's --export-fixes writes; none for an empty text. Paths that are not
/// absolute are taken from `directory`. @throws unreadable_report
std::vector<tidy_diagnostic> read_tidy_report(const std::string& yaml, const std::string& directory);

} // namespace linn::tool
