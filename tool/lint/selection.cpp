// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include "../measure/suggest.hpp"
#include "clean_command.hpp"
#include "include_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

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
             const std::vector<std::string>& patterns, bool every_build)
        : database_{database},
          project_{the_project},
          every_build_{every_build},
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
        std::vector<std::string> arguments = clean_arguments(c);
        if (!is_named && !includes_a_header(c, arguments)) {
            return;
        }
        const std::string build =
            every_build_ ? fmt::format("{}\n{}", c.directory, fmt::join(arguments, "\n")) : std::string{};
        if (!known_.insert(fmt::format("{}\n{}", c.file, build)).second) {
            result_.compiled_again += is_named ? 1 : 0;
            return;
        }
        if (std::error_code error; !fs::exists(c.file, error)) {
            result_.gone.push_back(c.file);
            return;
        }
        result_.units.push_back({c.file, c.directory, std::move(arguments), is_named});
    }

    bool includes_a_header(const compile_command& c, const std::vector<std::string>& arguments) {
        const std::set<std::string> found = search_.reached(c.file, arguments, c.directory, headers_);
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
    bool every_build_;
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
                            const std::vector<std::string>& patterns, bool every_build) {
    return selector{database, the_project, patterns, every_build}.run();
}

} // namespace linn::tool
