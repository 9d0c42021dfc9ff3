// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "../measure/interrupt.hpp"
#include "selection.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// A place in a file as a person names it.
struct text_place {
    std::size_t line = 0;      ///< from 1; 0: not known
    std::size_t column = 0;    ///< in bytes, from 1, as compilers count
    std::size_t character = 0; ///< in code points, from 1
};

/// A file that was read once, for looking up places in it.
class source_text {
public:
    explicit source_text(std::string text);

    /// The place of a byte; unknown when it lies behind the end.
    text_place place(std::size_t offset) const;

    /// The line without its end; empty when there is none of that number.
    std::string_view line(std::size_t number) const;

    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::vector<std::size_t> starts_; // of the lines
};

/// The files that places are looked up in, each read at its first use. One that cannot be read is an empty one.
class source_texts {
public:
    const source_text& of(const std::string& file);

private:
    std::map<std::string, source_text, std::less<>> files_;
};

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

/// A clang-tidy and the plugin that was built for its version.
struct tidy_program {
    std::string path;
    std::string version; ///< "19.1.7"
    int major = 0;
    std::string plugin;
};

/// What the user said about it; empty where nothing.
struct tidy_choice {
    std::string clang_tidy;
    std::string plugin;
};

/// The newest clang-tidy for which a plugin lies next to the tool, or the one that was chosen; it has been started with the
/// plugin, and knows the checks. @throws unusable_input
tidy_program find_tidy_program(const tidy_choice& choice, const interrupt_guard& guard);

/// What the checks are told.
struct check_options {
    std::uint64_t min_bytes = 64;
    bool fill = true;        ///< linn-zero-fill
    bool overwritten = true; ///< linn-overwritten-fill
};

/// What one translation unit gave.
struct unit_outcome {
    bool was_run = false; ///< false: a signal came before
    std::string failure;  ///< why it could not be checked, or not wholly; empty when it could
    std::vector<tidy_diagnostic> diagnostics;
    double seconds = 0;
};

/// Runs clang-tidy for every unit, `jobs` at a time. Ends early, with the children, when `guard` has a signal pending. The
/// outcomes stand in the order of the units. @pre jobs >= 1
std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress);

} // namespace linn::tool
