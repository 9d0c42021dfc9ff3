// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "compile_commands.hpp"

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace linn::tool {

/// What belongs to the user's project, so it is checked and reported.
struct project_options {
    /// Expression: which headers are reported; unset: all of the project folder.
    std::optional<std::string> header_filter;
    /// Expression: what is left out; unset: `default_exclude` and the build folder.
    std::optional<std::string> exclude;
};

/// Copies of other people's code. Matched against paths as seen from the project folder.
inline constexpr const char* default_exclude =
    "(^|/)(third[-_]?party|3rd[-_]?party|external|extern|vendor|vendored|_deps|subprojects|node_modules)/";

/// The folder of a project and what in it counts.
class project {
public:
    /// The project folder is the work tree (.git, .hg, .svn, .jj) around the first source outside the build folder that is in
    /// one; if there is none, the folder that all such sources have in common.
    /// @throws std::regex_error for an expression that is none
    project(const compile_database& database, const project_options& options);

    /// Where a file is seen from the project folder; as it is when it lies elsewhere.
    std::string shown(const std::string& file) const;

    /// Left out: copies of other people's code, what a build generates, or what --exclude names.
    bool excludes(const std::string& file) const;

    /// Whether to report a place in this header.
    bool reports_header(const std::string& file) const;

    const std::filesystem::path& root() const noexcept { return root_; }

private:
    std::filesystem::path root_;
    std::string build_; ///< ends in a slash; empty when the build lies among the sources
    std::optional<std::regex> exclude_;
    std::optional<std::regex> header_filter_;
};

/// True when `file` lies in `folder`, however deep. Both are absolute and without . and ..
bool lies_in(const std::string& file, const std::filesystem::path& folder);

/// One translation unit to check.
struct lint_unit : compile_command {
    bool is_whole = true; ///< false: it was chosen for a header, and only what was asked for is reported
};

/// The files to check, and those left out.
struct lint_selection {
    std::vector<lint_unit> units;
    std::vector<std::string> headers; ///< asked for by name
    std::size_t not_cxx = 0;          ///< entries of the database in another language
    std::size_t excluded = 0;         ///< entries in the build folder or excluded
    std::size_t compiled_again = 0;   ///< further entries of a file that is read once
    std::vector<std::string> gone;    ///< files of entries that do not exist any more
    std::vector<std::string> remarks; ///< what was asked for and is not there
};

/// Chooses the entries of the database: all that the project does not exclude, or those that `patterns` name. A pattern is a
/// file, a folder or a glob with * ? []; a header stands for the entries that include it. A file that is named itself is
/// checked even where it is excluded. A file that several entries compile becomes one unit, by the first of them.
/// @throws unusable_input
lint_selection select_units(const compile_database& database, const project& the_project,
                            const std::vector<std::string>& patterns);

} // namespace linn::tool
