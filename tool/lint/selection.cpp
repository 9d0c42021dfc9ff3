// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include "../measure/suggest.hpp"
#include "compile_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>

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

namespace {

struct search_folders {
    std::vector<fs::path> quoted; ///< searched for "x" only
    std::vector<fs::path> all;
    std::vector<std::string> forced; ///< -include
};

search_folders folders_of(const std::vector<std::string>& arguments, const fs::path& directory) {
    search_folders folders;
    static constexpr std::array<std::string_view, 5> options{"-iquote", "-idirafter", "-isystem", "-include",
                                                             "-I"};
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        for (const std::string_view option : options) {
            if (!arguments[i].starts_with(option)) {
                continue;
            }
            std::string value = arguments[i].substr(option.size());
            if (value.empty() && i + 1 < arguments.size()) {
                value = arguments[++i];
            }
            const fs::path path = (directory / value).lexically_normal();
            if (option == "-include") {
                folders.forced.push_back(path.string());
            } else {
                (option == "-iquote" ? folders.quoted : folders.all).push_back(path);
            }
            break;
        }
    }
    return folders;
}

} // namespace

const std::vector<include_search::include_line>& include_search::lines_of(const std::string& file) {
    const auto [place, is_new] = lines_.try_emplace(file);
    if (!is_new) {
        return place->second;
    }
    std::ifstream stream{file};
    std::string line;
    constexpr std::string_view blank = " \t";
    while (std::getline(stream, line)) {
        std::size_t at = line.find_first_not_of(blank);
        if (at == std::string::npos || line[at] != '#') {
            continue;
        }
        at = line.find_first_not_of(blank, at + 1);
        if (at == std::string::npos || line.compare(at, 7, "include") != 0) {
            continue;
        }
        at = line.find_first_of("\"<", at);
        if (at == std::string::npos) {
            continue;
        }
        const bool is_quoted = line[at] == '"';
        const std::size_t end = line.find(is_quoted ? '"' : '>', at + 1);
        if (end != std::string::npos) {
            place->second.push_back({line.substr(at + 1, end - at - 1), is_quoted});
        }
    }
    return place->second;
}

bool include_search::is_file(const std::string& path) {
    const auto [place, is_new] = is_file_.try_emplace(path, false);
    std::error_code error;
    if (is_new) {
        place->second = fs::is_regular_file(path, error);
    }
    return place->second;
}

std::set<std::string> include_search::reached(const std::string& source,
                                              const std::vector<std::string>& arguments,
                                              const std::string& directory,
                                              const std::set<std::string>& headers) {
    const search_folders folders = folders_of(arguments, directory);
    std::set<std::string> seen{source};
    std::vector<std::string> open{source};
    std::set<std::string> found_headers;
    const auto visit = [&](const std::string& file) {
        if (!is_file(file)) {
            return false;
        }
        if (seen.insert(file).second) {
            open.push_back(file);
        }
        return true;
    };
    const auto visit_in = [&](const fs::path& folder, const std::string& name) {
        return visit((folder / name).lexically_normal().string());
    };
    for (const std::string& file : folders.forced) {
        visit(file);
    }
    while (!open.empty()) {
        const std::string file = open.back();
        open.pop_back();
        if (headers.contains(file)) {
            found_headers.insert(file);
        }
        for (const include_line& line : lines_of(file)) {
            bool found = line.is_quoted && visit_in(fs::path{file}.parent_path(), line.name);
            for (const fs::path& folder : folders.quoted) {
                found = found || (line.is_quoted && visit_in(folder, line.name));
            }
            for (const fs::path& folder : folders.all) {
                found = found || visit_in(folder, line.name);
            }
        }
    }
    return found_headers;
}

namespace {

constexpr std::array<std::string_view, 10> header_extensions{".h",   ".hh",  ".hpp", ".hxx", ".h++",
                                                             ".inl", ".ipp", ".tpp", ".inc", ".txx"};
constexpr std::array<std::string_view, 9> source_extensions{".cpp", ".cc",  ".cxx",  ".c++", ".C",
                                                            ".cp",  ".ixx", ".cppm", ".tcc"};

bool has_extension_of(const fs::path& file, const auto& list) {
    return std::find(list.begin(), list.end(), file.extension().string()) != list.end();
}

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
            if (has_extension_of(p.absolute(), header_extensions)) {
                headers_.insert(p.absolute());
            }
            return;
        }
        std::error_code error;
        constexpr auto options = fs::directory_options::skip_permission_denied;
        for (fs::recursive_directory_iterator i{p.absolute(), options, error}, end; !error && i != end;
             i.increment(error)) {
            if (has_extension_of(i->path(), header_extensions)) {
                headers_.insert(i->path().string());
            }
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
        const std::set<std::string> found = search_.reached(c.file, c.arguments, c.directory, headers_);
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
            } else if (has_extension_of(p.text(), source_extensions)) {
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
            throw nothing_selected{fmt::format("{}", fmt::join(result_.remarks, "\n"))};
        }
        if (patterns_.empty() && result_.excluded != 0) {
            throw nothing_selected{fmt::format(
                "all {} C++ files of {} are excluded (a build folder, or copies of other people's code); "
                "--exclude '' checks them",
                result_.excluded, database_.path.string())};
        }
        if (patterns_.empty()) {
            throw nothing_selected{fmt::format("{} lists no C++ file", database_.path.string())};
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

lint_selection select_units(const compile_database& database, const project& the_project,
                            const std::vector<std::string>& patterns) {
    return selector{database, the_project, patterns}.run();
}

} // namespace linn::tool
