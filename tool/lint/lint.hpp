// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "clang_tidy.hpp"
#include "findings.hpp"
#include "selection.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// What `linn lint` is asked for.
struct lint_options {
    std::string build; ///< a folder or a compile database; empty: look for one
    std::vector<std::string> files;
    check_options checks;
    tidy_choice tidy;
    project_options scope;
    unsigned jobs = 1;
};

/// A file that could not be checked, or not wholly.
struct failed_file {
    std::string file;
    std::string reason;

    friend bool operator==(const failed_file&, const failed_file&) = default;
};

/// What was found.
struct lint_result {
    std::string started; ///< ISO 8601, UTC
    std::string database;
    std::filesystem::path root; ///< the project's folder
    tidy_program program;
    lint_options options;
    std::vector<lint_finding> findings; ///< the most bytes first
    std::vector<failed_file> failed;
    std::vector<std::string> remarks;
    std::size_t units = 0;          ///< to check
    std::size_t checked = 0;        ///< wholly
    std::size_t not_run = 0;        ///< a signal came before
    std::size_t not_cxx = 0;        ///< entries in another language
    std::size_t excluded = 0;       ///< entries that are not the project's
    std::size_t compiled_again = 0; ///< further entries of files that were read once
    double seconds = 0;             ///< of clang-tidy, all units together
    int signal = 0;                 ///< that stopped it, or 0
    source_texts texts;
    std::filesystem::file_time_type read_at{};

    /// Of the places of the kind `now`, together.
    std::uint64_t bytes() const;
    std::size_t count(fill_kind kind) const;
    /// Certain places that `--fix` changes, or has changed.
    std::size_t with_fix() const;
    /// Places of a kind that is certain, that are not fixed and write at least so many bytes. One that fills an array whose length is known at run
    /// time only is among them: it may be large.
    std::size_t left(std::uint64_t least) const;
};

/// Checks what the options say.
/// @throws unusable_database, nothing_selected, no_tidy_program, std::regex_error; std::runtime_error when the machine fails
lint_result lint(const lint_options& options, const interrupt_guard& guard,
                 const std::function<void(const work_progress&)>& on_progress);

} // namespace linn::tool
