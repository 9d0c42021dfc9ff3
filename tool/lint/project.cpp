// SPDX-License-Identifier: Apache-2.0
#include "project.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

fs::path work_tree_around(const fs::path& file) {
    std::error_code error;
    for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
        for (const char* mark : {".git", ".hg", ".svn", ".jj"}) {
            if (fs::exists(folder / mark, error)) {
                return folder;
            }
        }
        if (folder == folder.parent_path()) {
            return {};
        }
    }
}

fs::path common_folder(const fs::path& a, const fs::path& b) {
    fs::path common;
    auto i = a.begin();
    auto j = b.begin();
    for (; i != a.end() && j != b.end() && *i == *j; ++i, ++j) {
        common /= *i;
    }
    return common;
}

} // namespace

bool lies_in(const std::string& file, const fs::path& folder) {
    std::string prefix = folder.string();
    if (!prefix.ends_with('/')) {
        prefix += '/';
    }
    return file.starts_with(prefix);
}

project::project(const compile_database& database, const project_options& options) {
    std::vector<fs::path> sources;
    for (const compile_command& c : database.commands) {
        if (!lies_in(c.file, database.folder)) {
            sources.emplace_back(c.file);
        }
    }
    const bool build_is_apart = !sources.empty();
    if (!build_is_apart) { // built among the sources, or all sources are generated
        for (const compile_command& c : database.commands) {
            sources.emplace_back(c.file);
        }
    }
    for (const fs::path& source : sources) {
        if (root_ = work_tree_around(source); !root_.empty()) {
            break;
        }
    }
    if (root_.empty()) {
        root_ = sources.front().parent_path();
        for (const fs::path& source : sources) {
            root_ = common_folder(root_, source.parent_path());
        }
    }
    if (build_is_apart && database.folder != root_) {
        build_ = database.folder.string() + '/';
    }

    const std::string exclude = options.exclude.value_or(default_exclude);
    has_exclude_ = !exclude.empty();
    exclude_.assign(exclude, std::regex::ECMAScript | std::regex::optimize);
    if (options.exclude) {
        build_.clear();
    }
    if (options.header_filter) {
        header_filter_.emplace(*options.header_filter, std::regex::ECMAScript | std::regex::optimize);
    }
}

std::string project::shown(const std::string& file) const {
    return lies_in(file, root_) ? fs::path{file}.lexically_relative(root_).string() : file;
}

bool project::lies_in_build(const std::string& file) const {
    return !build_.empty() && file.starts_with(build_);
}

bool project::excludes(const std::string& file) const {
    return lies_in_build(file) || (has_exclude_ && std::regex_search(shown(file), exclude_));
}

bool project::reports_header(const std::string& file) const {
    if (header_filter_) {
        return std::regex_search(file, *header_filter_) && !excludes(file);
    }
    return lies_in(file, root_) && !excludes(file);
}

} // namespace linn::tool
