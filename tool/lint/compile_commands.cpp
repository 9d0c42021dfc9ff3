// SPDX-License-Identifier: Apache-2.0
#include "lint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linn::tool {
namespace {

/// Within double quotes a backslash means itself unless one of these follows.
constexpr std::string_view escaped_in_quotes = "\"\\$`";
constexpr std::string_view blanks = " \t\n\r";

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* file_name = "compile_commands.json";

constexpr const char* how_to_make_one =
    "It lists how every file is compiled. To make one:\n"
    "  CMake (Makefiles, Ninja)  cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n"
    "  Meson                     meson setup build          (writes it by itself)\n"
    "  Bazel                     Hedron's compile-commands extractor\n"
    "  anything else             bear -- make               (package bear)\n"
    "then: linn lint -p build";

bool is_build_folder(const fs::path& folder) {
    const std::string name = folder.filename().string();
    return name.starts_with("build") || name.starts_with("_build") || name.starts_with("cmake-build") ||
           name == "out";
}

/// The databases in a folder and in two levels below it.
std::vector<fs::path> databases_below(const fs::path& folder) {
    return files_below(folder, [](const fs::path& file) { return file.filename() == file_name; }, 2);
}

/// The database of a folder or of its build folders, an empty path when there is none.
fs::path newest_database(const fs::path& folder) {
    std::error_code error;
    if (fs::is_regular_file(folder / file_name, error)) {
        return folder / file_name;
    }
    std::vector<fs::path> found = databases_below(folder);
    std::erase_if(found,
                  [&](const fs::path& p) { return !is_build_folder(*p.lexically_relative(folder).begin()); });
    const auto age = [](const fs::path& p) {
        std::error_code ignored;
        return std::pair{fs::last_write_time(p, ignored), p};
    };
    const auto newest = std::max_element(found.begin(), found.end(),
                                         [&](const auto& a, const auto& b) { return age(a) < age(b); });
    return newest == found.end() ? fs::path{} : *newest;
}

compile_command command_of(const json& entry, const fs::path& here) {
    compile_command c;
    c.directory = (here / entry.at("directory").get<std::string>()).lexically_normal().string();
    c.file = (fs::path{c.directory} / entry.at("file").get<std::string>()).lexically_normal().string();
    c.arguments = entry.contains("arguments") ? entry.at("arguments").get<std::vector<std::string>>()
                                              : command_words(entry.at("command").get<std::string>());
    return c;
}

std::vector<compile_command> commands_in(const fs::path& path) {
    const auto fail = [&](const std::string& reason) {
        throw unusable_input{fmt::format("cannot use {}: {}", path.string(), reason)};
    };
    const std::string text = text_of_file(path);
    if (text.find_first_not_of(blanks) == std::string::npos) {
        fail("it is empty");
    }
    json all;
    try {
        all = json::parse(text);
    } catch (const json::parse_error& error) {
        const auto before = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
        fail(fmt::format("it is no JSON: line {}", std::count(text.begin(), before, '\n') + 1));
    }
    if (!all.is_array()) {
        fail("wanted an array of compile commands");
    }
    if (all.empty()) {
        fail("it lists no file");
    }
    std::vector<compile_command> list;
    for (std::size_t i = 0; i != all.size(); ++i) {
        try {
            list.push_back(command_of(all[i], fs::absolute(path).parent_path()));
        } catch (const json::exception& error) {
            const std::string_view reason = error.what();
            fail(fmt::format("entry {}: {}", i, reason.substr(reason.find(']') + 2)));
        }
        if (list.back().arguments.empty()) {
            fail(fmt::format("entry {}: its command is empty", i));
        }
    }
    return list;
}

/// What Clang refuses although it knows the option, or would act on: plugins, profiles, values that only GCC has, and files of
/// dependencies, which belong to the build.
bool is_for_gcc(std::string_view word) {
    constexpr std::string_view options[] = {"-fplugin",          "-fmodules-ts",   "-fmodule-mapper",
                                            "-fprofile",         "-fauto-profile", "-fdiagnostics",
                                            "-mfunction-return", "-mtune",         "-mfpmath",
                                            "-fcf-protection",   "-Wp,-M"};
    return std::ranges::any_of(options, [&](std::string_view option) { return word.starts_with(option); });
}

/// The place of the compiler: behind launchers and their assignments.
std::size_t compiler_at(const std::vector<std::string>& words) {
    constexpr std::string_view launchers[] = {"ccache", "sccache", "distcc", "icecc", "gomacc", "env"};
    const auto leads = [&](std::size_t i) {
        return std::ranges::count(launchers, fs::path{words[i]}.filename().string()) != 0 ||
               (i != 0 && !words[i].starts_with('-') && words[i].find('=') != std::string::npos);
    };
    std::size_t i = 0;
    while (i + 1 < words.size() && leads(i)) {
        ++i;
    }
    return i;
}

} // namespace

std::vector<std::string> command_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false; // a word has begun, though it may be empty: ''
    char quote = 0;
    for (std::size_t i = 0; i != text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 != text.size() ? text[i + 1] : '\0';
        if (quote == '\'' && c != '\'') {
            word += c;
        } else if (quote != 0 && c == quote) {
            quote = 0;
        } else if (c == '\\' && i + 1 != text.size() &&
                   (quote == 0 || escaped_in_quotes.find(next) != std::string_view::npos)) {
            word += next;
            inside = true;
            ++i;
        } else if (quote != 0) {
            word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (blanks.find(c) != std::string_view::npos) {
            if (inside) {
                words.push_back(std::move(word));
            }
            word.clear();
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (inside) {
        words.push_back(std::move(word));
    }
    return words;
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::function<bool(const fs::path&)>& is_wanted, int levels) {
    std::vector<fs::path> found;
    std::error_code error;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator i{folder, options, error}, end; !error && i != end;
         i.increment(error)) {
        if (i.depth() == levels) {
            i.disable_recursion_pending();
        }
        if (std::error_code ignored; is_wanted(i->path()) && i->is_regular_file(ignored)) {
            found.push_back(i->path());
        }
    }
    return found;
}

fs::path find_compile_database(const std::string& given) {
    std::error_code error;
    if (!given.empty()) {
        if (fs::is_regular_file(given, error)) {
            return given;
        }
        if (!fs::exists(given, error)) {
            throw unusable_input{fmt::format("--build: there is no {}", given)};
        }
        if (fs::is_regular_file(fs::path{given} / file_name, error)) {
            return fs::path{given} / file_name;
        }
        if (const std::vector<fs::path> below = databases_below(given); !below.empty()) {
            throw unusable_input{fmt::format("--build: there is no {} in {}; did you mean {}?", file_name,
                                             given, below.front().parent_path().string())};
        }
        throw unusable_input{
            fmt::format("--build: there is no {} in {}.\n{}", file_name, given, how_to_make_one)};
    }
    const fs::path start = fs::current_path();
    for (fs::path folder = start;; folder = folder.parent_path()) {
        if (fs::path found = newest_database(folder); !found.empty()) {
            return found.lexically_proximate(start);
        }
        if (folder == folder.parent_path()) {
            break;
        }
    }
    throw unusable_input{fmt::format("there is no {} in {}, in its build folders or above.\n{}", file_name,
                                     start.string(), how_to_make_one)};
}

compile_database read_compile_database(const fs::path& path) {
    std::error_code error;
    compile_database database;
    database.path = path;
    database.folder = fs::canonical(path, error).parent_path();
    database.commands = commands_in(path);
    return database;
}

bool is_cxx(const compile_command& command) {
    std::string language;
    const std::vector<std::string>& words = command.arguments;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "-x" && i + 1 < words.size()) {
            language = words[++i];
        } else if (words[i].starts_with("-xc")) {
            language = words[i].substr(2);
        }
    }
    if (!language.empty() && language != "none") {
        return language == "c++" || language == "c++-module";
    }
    constexpr std::string_view extensions[] = {".cpp", ".cc",  ".cxx", ".c++",  ".C",   ".CPP",
                                               ".cp",  ".tcc", ".ixx", ".cppm", ".ccm", ".cxxm"};
    return std::ranges::count(extensions, fs::path{command.file}.extension().string()) != 0;
}

std::vector<std::string> arguments_for_clang(const compile_command& command) {
    const std::vector<std::string>& words = command.arguments;
    std::size_t i = compiler_at(words);
    std::vector<std::string> out{words[i], "-w"};
    while (++i < words.size()) {
        const std::string& word = words[i];
        if (word == "-include-pch") {
            ++i;
        } else if (word == "-Xclang" && i + 3 < words.size() && words[i + 1] == "-include-pch") {
            i += 3;
        } else if (word == "-Xclang" && i + 1 < words.size()) {
            out.insert(out.end(), {word, words[++i]});
        } else if (word.starts_with("-include")) {
            constexpr std::size_t length = std::string_view{"-include"}.size();
            const std::string joined = word.substr(length);
            const bool is_apart = joined.empty() && i + 1 < words.size();
            out.insert(out.end(), {"-Xclang", "-include", "-Xclang", is_apart ? words[++i] : joined});
        } else if (!is_for_gcc(word)) {
            out.push_back(word);
        }
    }
    return out;
}

} // namespace linn::tool
