// SPDX-License-Identifier: Apache-2.0
#include "../measure/suggest.hpp"
#include "lint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

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

bool is_header(const fs::path& file) {
    constexpr std::array<std::string_view, 10> extensions{".h",   ".hh",  ".hpp", ".hxx", ".h++",
                                                          ".inl", ".ipp", ".tpp", ".inc", ".txx"};
    return std::ranges::count(extensions, file.extension().string()) != 0;
}

/// The headers that a source includes, directly or not, found by reading `#include` lines: no preprocessor runs, so a line that an
/// #if leaves out counts, and so does each header whose path ends with the name in the line.
class include_search {
public:
    void add(const std::string& header) { by_name_[fs::path{header}.filename().string()].insert(header); }

    std::set<std::string> reached(const std::string& source) {
        std::set<std::string> seen;
        std::vector<std::string> open{source};
        while (!open.empty()) {
            const std::string file = open.back();
            open.pop_back();
            for (const std::string& header : included_by(file)) {
                if (seen.insert(header).second) {
                    open.push_back(header);
                }
            }
        }
        return seen;
    }

private:
    const std::set<std::string>& included_by(const std::string& file) {
        const auto [place, is_new] = included_by_.try_emplace(file);
        std::ifstream stream{is_new ? file : std::string()};
        static const std::regex pattern{R"(^\s*#\s*include\s*["<](\.\.?/)*([^">]+))"};
        std::smatch match;
        for (std::string line; std::getline(stream, line);) {
            if (line.find("include") == std::string::npos || !std::regex_search(line, match, pattern)) {
                continue;
            }
            for (const std::string& header : by_name_[fs::path{match[2].str()}.filename().string()]) {
                if (header.ends_with("/" + match[2].str())) {
                    place->second.insert(header);
                }
            }
        }
        return place->second;
    }

    std::map<std::string, std::set<std::string>> by_name_;
    std::map<std::string, std::set<std::string>> included_by_;
};

/// One of FILES.
class pattern {
public:
    explicit pattern(const std::string& text)
        : text_{text},
          absolute_{fs::absolute(text).lexically_normal().string()},
          is_glob_{text.find_first_of("*?[") != std::string::npos} {
        if (absolute_.size() > 1 && absolute_.ends_with('/')) {
            absolute_.pop_back();
        }
        std::error_code error;
        exists_ = fs::exists(text, error);
        is_folder_ = fs::is_directory(text, error);
        real_ = fs::weakly_canonical(text, error).string();
    }

    bool names(const std::string& file) const {
        // The database may name files by the way behind a link, or by the link.
        if (file == absolute_ || file == real_) {
            return true;
        }
        if (is_folder_) {
            return lies_in(file, absolute_) || lies_in(file, real_);
        }
        // "*_test.cpp" is meant anywhere, "src/*.cpp" from here; a star crosses folders, as in a .gitignore's "**".
        return is_glob_ && !exists_ &&
               (::fnmatch(absolute_.c_str(), file.c_str(), 0) == 0 ||
                (text_.find('/') == std::string::npos &&
                 ::fnmatch(text_.c_str(), fs::path{file}.filename().c_str(), 0) == 0));
    }

    const std::string& text() const noexcept { return text_; }
    const std::string& absolute() const noexcept { return absolute_; }
    bool is_broad() const noexcept { return is_folder_ || (is_glob_ && !exists_); }
    bool exists() const noexcept { return exists_; }

private:
    std::string text_;
    std::string absolute_;
    std::string real_; ///< links followed
    bool is_glob_ = false;
    bool exists_ = false;
    bool is_folder_ = false;
};

class selector {
public:
    selector(const compile_database& database, const project& the_project,
             const std::vector<std::string>& patterns)
        : database_{database},
          project_{the_project},
          patterns_(patterns.begin(), patterns.end()),
          was_used_(patterns.size()) {}

    lint_selection run() {
        for (const pattern& p : patterns_) {
            look_for_headers(p);
        }
        if (!headers_.empty()) {
            std::ranges::for_each(headers_, [&](const std::string& one) { search_.add(one); });
            std::ranges::for_each(files_below(project_.root(), is_header),
                                  [&](const fs::path& one) { search_.add(one.string()); });
        }
        for (const compile_command& c : database_.commands) {
            consider(c);
        }
        explain_unused();
        if (result_.units.empty() && result_.gone.empty()) {
            explain_nothing();
        }
        return std::move(result_);
    }

private:
    /// A header, or all of a folder in which no file is compiled, is looked for in all entries.
    void look_for_headers(const pattern& p) {
        const bool has_entry = std::any_of(database_.commands.begin(), database_.commands.end(),
                                           [&](const compile_command& c) { return p.names(c.file); });
        if (has_entry || !p.exists()) {
            return;
        }
        if (!p.is_broad()) {
            if (is_header(p.absolute())) {
                headers_.insert(p.absolute());
            }
            return;
        }
        for (const fs::path& below : files_below(p.absolute(), is_header)) {
            headers_.insert(below.string());
        }
    }

    void consider(const compile_command& c) {
        bool is_named = patterns_.empty();
        bool is_named_itself = false;
        for (std::size_t i = 0; i != patterns_.size(); ++i) {
            if (patterns_[i].names(c.file)) {
                is_named = was_used_[i] = true;
                is_named_itself = is_named_itself || !patterns_[i].is_broad();
            }
        }
        if (!is_named && headers_.empty()) {
            return;
        }
        if (!is_cxx(c)) {
            result_.not_cxx += is_named ? 1 : 0;
            return;
        }
        if (!is_named_itself && project_.excludes(c.file)) {
            result_.excluded += is_named ? 1 : 0;
            return;
        }
        if (!is_named && !includes_a_header(c)) {
            return;
        }
        if (!known_.insert(c.file).second) {
            result_.compiled_again += is_named ? 1 : 0;
            return;
        }
        if (std::error_code error; !fs::exists(c.file, error)) {
            result_.gone.push_back(c.file);
            return;
        }
        result_.units.push_back({c, is_named});
    }

    bool includes_a_header(const compile_command& c) {
        const std::set<std::string> seen = search_.reached(c.file);
        std::set<std::string> found;
        std::ranges::set_intersection(seen, headers_, std::inserter(found, found.end()));
        reached_.insert(found.begin(), found.end());
        return !found.empty();
    }

    bool was_reached(const pattern& p) const {
        return std::any_of(reached_.begin(), reached_.end(),
                           [&](const std::string& h) { return p.names(h); });
    }

    void explain_unused() {
        result_.headers.assign(headers_.begin(), headers_.end());
        for (std::size_t i = 0; i != patterns_.size(); ++i) {
            const pattern& p = patterns_[i];
            if (was_used_[i] || was_reached(p)) {
                continue;
            }
            if (headers_.contains(p.absolute())) {
                add_remark(
                    fmt::format("{}: no checked file includes it, so its templates cannot be seen", p.text()),
                    true);
            } else if (p.is_broad()) {
                add_remark(fmt::format("{}: no file of {} lies there", p.text(), database_.path.string()),
                           true);
            } else if (!p.exists()) {
                add_remark(fmt::format("{}: there is no such file{}", p.text(), guess_for(p)), true);
            } else if (is_cxx({p.text(), "", {}})) {
                add_remark(
                    fmt::format("{}: {} does not say how it is compiled", p.text(), database_.path.string()),
                    true);
            } else {
                add_remark(fmt::format("{}: left out: it is not C++", p.text()), false);
            }
        }
    }

    void add_remark(std::string text, bool is_wrong) {
        result_.remarks.push_back(std::move(text));
        has_wrong_ = has_wrong_ || is_wrong;
    }

    std::string guess_for(const pattern& p) const {
        std::vector<std::string> names;
        for (const compile_command& c : database_.commands) {
            names.push_back(fs::path{c.file}.filename().string());
        }
        const std::string name = fs::path{p.text()}.filename().string();
        const std::string guess = suggest(name, names);
        return guess.empty() || guess == name ? "" : fmt::format("; did you mean {}?", guess);
    }

    void explain_nothing() const {
        if (!patterns_.empty() && has_wrong_) {
            throw unusable_input{fmt::format("{}", fmt::join(result_.remarks, "\n"))};
        }
        if (patterns_.empty() && result_.excluded != 0) {
            throw unusable_input{fmt::format(
                "all {} C++ files of {} are excluded (a build folder, or copies of other people's code); "
                "--exclude '' checks them",
                result_.excluded, database_.path.string())};
        }
        if (patterns_.empty()) {
            throw unusable_input{fmt::format("{} lists no C++ file", database_.path.string())};
        }
    }

    const compile_database& database_;
    const project& project_;
    std::vector<pattern> patterns_;
    std::vector<bool> was_used_;
    std::set<std::string> headers_;
    std::set<std::string> reached_;
    std::set<std::string> known_;
    include_search search_;
    lint_selection result_;
    bool has_wrong_ = false;
};

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
        // Headers often lie where the build folder does, not below the sources.
        const fs::path around = database.folder.parent_path();
        if (around.has_relative_path() && lies_in(root_.string(), around)) {
            root_ = around;
        }
    }
    if (build_is_apart && database.folder != root_) {
        build_ = database.folder.string() + '/';
    }

    const std::string exclude = options.exclude.value_or(default_exclude);
    if (!exclude.empty()) {
        exclude_.emplace(exclude, std::regex::ECMAScript | std::regex::optimize);
    }
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

bool project::excludes(const std::string& file) const {
    return (!build_.empty() && file.starts_with(build_)) ||
           (exclude_ && std::regex_search(shown(file), *exclude_));
}

bool project::reports_header(const std::string& file) const {
    if (header_filter_) {
        return std::regex_search(file, *header_filter_) && !excludes(file);
    }
    return lies_in(file, root_) && !excludes(file);
}

lint_selection select_units(const compile_database& database, const project& the_project,
                            const std::vector<std::string>& patterns) {
    return selector{database, the_project, patterns}.run();
}

} // namespace linn::tool
