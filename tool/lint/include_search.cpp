// SPDX-License-Identifier: Apache-2.0
#include "include_search.hpp"

#include <array>
#include <fstream>
#include <string_view>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

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

} // namespace linn::tool
