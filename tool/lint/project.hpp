// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile_database.hpp"

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace linn::tool {

/// What belongs to the user's project, so it is checked and reported.
struct project_options {
    std::optional<std::string>
        header_filter; ///< expression: which headers are reported; unset: all of the project folder
    std::optional<std::string>
        exclude; ///< expression: what is left out; unset: `default_exclude` and the build folder
};

/// Copies of other people's code. Matched against paths as seen from the project folder.
inline constexpr const char* default_exclude =
    "(^|/)(third[-_]?party|3rd[-_]?party|external|extern|vendor|vendored|_deps|subprojects|node_modules)/";

/// The folder of a project and what in it counts.
class project {
public:
    /// The project folder is the work tree (.git, .hg, .svn, .jj) around the first source outside the build folder that is in
    /// one, else the folder that all such sources have in common.
    /// @throws std::regex_error for an expression that is none
    project(const compile_database& database, const project_options& options);

    /// Where a file is seen from the project folder; as it is when it lies elsewhere.
    std::string shown(const std::string& file) const;

    /// Left out: copies of other people's code, what a build generates, or what --exclude names.
    bool excludes(const std::string& file) const;

    /// True when a place in this header is to be reported.
    bool reports_header(const std::string& file) const;

    const std::filesystem::path& root() const noexcept { return root_; }

private:
    bool lies_in_build(const std::string& file) const;

    std::filesystem::path root_;
    std::string build_; ///< ends in a slash; empty when the build lies among the sources
    std::regex exclude_;
    bool has_exclude_ = false;
    std::optional<std::regex> header_filter_;
};

/// True when `file` lies in `folder`, however deep. Both are absolute and without . and ..
bool lies_in(const std::string& file, const std::filesystem::path& folder);

} // namespace linn::tool
