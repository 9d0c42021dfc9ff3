// SPDX-License-Identifier: Apache-2.0
#include "clean_command.hpp"

#include "../measure/files.hpp"
#include "command_words.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <string_view>

namespace linn::tool {
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
