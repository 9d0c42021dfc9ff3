// SPDX-License-Identifier: Apache-2.0
#include "compile_commands.hpp"

#include "../measure/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

namespace linn::tool {

namespace {

bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Within double quotes a backslash means itself unless one of these follows.
bool is_escaped_in_quotes(char c) noexcept {
    return c == '"' || c == '\\' || c == '$' || c == '`';
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
        } else if (c == '\\' && i + 1 != text.size() && (quote == 0 || is_escaped_in_quotes(next))) {
            word += next;
            inside = true;
            ++i;
        } else if (quote != 0) {
            word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            inside = true;
        } else if (is_space(c)) {
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
namespace {

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

void add_databases_below(const fs::path& folder, int levels, std::vector<fs::path>& found) {
    std::error_code error;
    if (fs::is_regular_file(folder / file_name, error)) {
        found.push_back(folder / file_name);
    }
    if (levels == 0) {
        return;
    }
    for (fs::directory_iterator i{folder, fs::directory_options::skip_permission_denied, error}, end;
         !error && i != end; i.increment(error)) {
        if (std::error_code ignored; i->is_directory(ignored)) {
            add_databases_below(i->path(), levels - 1, found);
        }
    }
}

/// The database of a folder or of its build folders, an empty path when there is none.
fs::path newest_database(const fs::path& folder) {
    std::error_code error;
    if (fs::is_regular_file(folder / file_name, error)) {
        return folder / file_name;
    }
    std::vector<fs::path> found;
    for (fs::directory_iterator i{folder, fs::directory_options::skip_permission_denied, error}, end;
         !error && i != end; i.increment(error)) {
        if (std::error_code ignored; is_build_folder(i->path()) && i->is_directory(ignored)) {
            add_databases_below(i->path(), 1, found);
        }
    }
    const auto age = [](const fs::path& p) {
        std::error_code ignored;
        return std::pair{fs::last_write_time(p, ignored), p};
    };
    const auto newest = std::max_element(found.begin(), found.end(),
                                         [&](const auto& a, const auto& b) { return age(a) < age(b); });
    return newest == found.end() ? fs::path{} : *newest;
}

class reader {
public:
    explicit reader(const fs::path& path) : path_{path} {}

    std::vector<compile_command> commands() const {
        const std::optional<std::string> content = read_file(path_);
        if (!content) {
            throw unusable_database{fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno))};
        }
        const std::string& text = *content;
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
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
            list.push_back(command(all[i], i));
        }
        return list;
    }

private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw unusable_database{fmt::format("cannot use {}: {}", path_.string(), reason)};
    }

    std::string text_of(const json& entry, std::size_t i, const char* name) const {
        const auto found = entry.find(name);
        if (found == entry.end() || !found->is_string()) {
            fail(fmt::format("entry {}: it has no string \"{}\"", i, name));
        }
        return *found;
    }

    compile_command command(const json& entry, std::size_t i) const {
        if (!entry.is_object()) {
            fail(fmt::format("entry {} is no object", i));
        }
        compile_command c;
        const fs::path here = fs::absolute(path_).parent_path();
        c.directory = (here / text_of(entry, i, "directory")).lexically_normal().string();
        c.file = (fs::path{c.directory} / text_of(entry, i, "file")).lexically_normal().string();
        if (const auto list = entry.find("arguments"); list != entry.end()) {
            if (!list->is_array() ||
                !std::all_of(list->begin(), list->end(), [](const json& word) { return word.is_string(); })) {
                fail(fmt::format("entry {}: \"arguments\" is not an array of strings", i));
            }
            c.arguments = list->get<std::vector<std::string>>();
        } else {
            c.arguments = command_words(text_of(entry, i, "command"));
        }
        if (c.arguments.empty()) {
            fail(fmt::format("entry {}: its command is empty", i));
        }
        return c;
    }

    const fs::path& path_;
};

} // namespace

fs::path find_compile_database(const std::string& given) {
    std::error_code error;
    if (!given.empty()) {
        if (fs::is_regular_file(given, error)) {
            return given;
        }
        if (!fs::exists(given, error)) {
            throw unusable_database{fmt::format("--build: there is no {}", given)};
        }
        if (fs::is_regular_file(fs::path{given} / file_name, error)) {
            return fs::path{given} / file_name;
        }
        std::vector<fs::path> below;
        add_databases_below(given, 2, below);
        if (!below.empty()) {
            throw unusable_database{fmt::format("--build: there is no {} in {}; did you mean {}?", file_name,
                                                given, below.front().parent_path().string())};
        }
        throw unusable_database{
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
    throw unusable_database{fmt::format("there is no {} in {}, in its build folders or above.\n{}", file_name,
                                        start.string(), how_to_make_one)};
}

compile_database read_compile_database(const fs::path& path) {
    std::error_code error;
    compile_database database;
    database.path = path;
    database.folder = fs::canonical(path, error).parent_path();
    database.commands = reader{path}.commands();
    return database;
}
namespace {

namespace fs = std::filesystem;
using argument_list = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Arguments that stay, whose value is the next word, or follows at once.
constexpr std::string_view kept_joined_too[] = {
    "-I",       "-D",       "-U",        "-isystem", "-iquote",      "-idirafter",
    "-include", "-imacros", "-isysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore"};

bool is_kept_with_value(std::string_view word) {
    return std::count(std::begin(kept_joined_too), std::end(kept_joined_too), word) != 0 ||
           is_one_of(word, {"-x", "-target", "-arch", "--sysroot"});
}

/// Arguments that go, and take the next word with them.
const std::regex& dropped_with_value() {
    static const std::regex pattern{
        "-o|-M[FTQJ]|-X(linker|assembler|preprocessor)|-[TuzLle]|-aux-info|-wrapper|--param|-framework|"
        "-dump(base|dir|base-ext)|-include-pch"};
    return pattern;
}

/// What of GCC's other arguments changes the meaning of the text and is known to Clang.
const std::regex& kept_of_gcc() {
    static const std::regex pattern{
        "-std=.*|--std=.*|-ansi|-stdlib=.*|--sysroot=.*|--target=.*|-nostdinc|-nostdinc\\+\\+|-undef|-"
        "pthread|"
        "-O[0-3sgz]?|-Ofast|"
        "-f(no-)?(exceptions|rtti|char8_t|signed-char|unsigned-char|short-enums|short-wchar|ms-extensions|"
        "openmp(=.*)?|sized-deallocation|aligned-new(=.*)?|aligned-allocation|threadsafe-statics|builtin.*|"
        "access-control|operator-names|fast-math|finite-math-only|math-errno|pack-struct(=.*)?)|"
        "-f(PIC|PIE|pic|pie|freestanding|hosted|no-freestanding|template-depth=.*|constexpr-depth=.*)|"
        "-m(no-)?(32|64|x32|thumb|arm|mmx|sse[0-9a.]*|ssse3|avx[0-9a-z]*|fma4?|f16c|bmi2?|lzcnt|popcnt|aes|"
        "pclmul|"
        "vpclmulqdq|vaes|gfni|sha|adx|rdrnd|rdseed|rtm|xsave[a-z]*|movbe|cx16|fsgsbase|crc32)|"
        "-m(arch|cpu|fpu|float-abi|abi)=.*"};
    return pattern;
}

/// What a command of Clang loses.
const std::regex& dropped_of_clang() {
    static const std::regex pattern{
        "-c|-S|-E|-M[DMPG]?|-MMD|-MF.+|-MT.+|-MQ.+|-o.+|-save-temps.*|-emit-.*|-L.+|-l.+|-flto.*|-fprofile.*|"
        "-fcoverage.*|-fplugin.*|-fpass-plugin.*|-ftime-trace.*|-fuse-ld=.*|-Winvalid-pch|--coverage|"
        "-fcolor-diagnostics|-fdiagnostics.*|-pipe|-v|-###|-fsyntax-only"};
    return pattern;
}

bool is_warning(std::string_view word) {
    const bool is_passed_on =
        word.starts_with("-Wp,") || word.starts_with("-Wa,") || word.starts_with("-Wl,");
    return word == "-w" || word.starts_with("-pedantic") || (word.starts_with("-W") && !is_passed_on);
}

argument_list expanded(const argument_list& arguments, const fs::path& directory, int depth) {
    argument_list out;
    for (const std::string& word : arguments) {
        if (word.size() < 2 || word.front() != '@' || depth == 0) {
            out.push_back(word);
            continue;
        }
        const std::string text = read_file(directory / word.substr(1)).value_or("");
        const argument_list inner = expanded(command_words(text), directory, depth - 1);
        out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
}

/// The place of the compiler: behind launchers and their assignments.
std::size_t compiler_at(const argument_list& arguments) {
    std::size_t i = 0;
    while (i + 1 < arguments.size() &&
           (is_one_of(fs::path{arguments[i]}.filename().string(),
                      {"ccache", "sccache", "distcc", "icecc", "gomacc", "env"}) ||
            (i != 0 && arguments[i].find('=') != std::string::npos && arguments[i].front() != '-'))) {
        ++i;
    }
    return i;
}

class cleaner {
public:
    cleaner(const compile_command& command, argument_list arguments)
        : command_{command},
          in_{std::move(arguments)},
          is_clang_{fs::path{in_.front()}.filename().string().find("clang") != std::string::npos} {}

    argument_list run() {
        argument_list out{in_.front()};
        for (i_ = 1; i_ < in_.size(); ++i_) {
            one(out);
        }
        out.emplace_back("-fsyntax-only");
        out.push_back(command_.file);
        return out;
    }

private:
    bool has_next() const noexcept { return i_ + 1 < in_.size(); }

    void one(argument_list& out) {
        const std::string& word = in_[i_];
        if (word == "--" || word.empty() || word.front() != '-' || word == "-") {
            return; // an input; the file is added at the end
        }
        if (std::regex_match(word, dropped_with_value())) {
            ++i_;
        } else if (is_kept_with_value(word)) {
            if (has_next()) {
                out.push_back(word);
                out.push_back(in_[++i_]);
            }
        } else if (word == "-Xclang") {
            pass_to_front_end(out);
        } else if (word.starts_with("-Wp,-D") || word.starts_with("-Wp,-U")) {
            out.push_back(word.substr(4));
        } else if (!is_warning(word) && stays(word)) {
            out.push_back(word);
        }
    }

    bool stays(const std::string& word) const {
        // -Ifolder, -DNAME, -isystemfolder …
        const bool joined =
            std::any_of(std::begin(kept_joined_too), std::end(kept_joined_too),
                        [&](auto option) { return word.starts_with(option) && word.size() > option.size(); });
        if (joined && !word.starts_with("-include-pch")) {
            return true;
        }
        return is_clang_ ? !std::regex_match(word, dropped_of_clang())
                         : std::regex_match(word, kept_of_gcc());
    }

    /// -Xclang WORD; a precompiled header there is `-Xclang -include-pch -Xclang FILE`.
    void pass_to_front_end(argument_list& out) {
        if (!has_next()) {
            return;
        }
        const std::string& word = in_[++i_];
        const bool takes_value = word == "-include-pch" || word == "-load" || word == "-plugin" ||
                                 word == "-add-plugin" || word.starts_with("-plugin-arg");
        if (takes_value) {
            if (i_ + 2 < in_.size() && in_[i_ + 1] == "-Xclang") {
                i_ += 2;
            }
            return;
        }
        if (!is_clang_ || is_warning(word)) {
            return;
        }
        out.emplace_back("-Xclang");
        out.push_back(word);
    }

    const compile_command& command_;
    argument_list in_;
    bool is_clang_;
    std::size_t i_ = 1;
};

} // namespace

bool is_cxx(const compile_command& command) {
    std::string language;
    const argument_list& a = command.arguments;
    for (std::size_t i = 1; i < a.size(); ++i) {
        if (a[i] == "-x" && i + 1 < a.size()) {
            language = a[++i];
        } else if (a[i].starts_with("-xc")) {
            language = a[i].substr(2);
        }
    }
    if (!language.empty() && language != "none") {
        return language == "c++" || language == "c++-module";
    }
    return is_one_of(
        fs::path{command.file}.extension().string(),
        {".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp", ".tcc", ".ixx", ".cppm", ".ccm", ".cxxm"});
}

std::vector<std::string> clean_arguments(const compile_command& command) {
    const auto compiler = static_cast<std::ptrdiff_t>(compiler_at(command.arguments));
    argument_list arguments(command.arguments.begin() + compiler, command.arguments.end());
    return cleaner{command, expanded(arguments, command.directory, 8)}.run();
}

} // namespace linn::tool
