// SPDX-License-Identifier: Apache-2.0
#include "tidy_program.hpp"

#include "../measure/companion.hpp"
#include "../measure/process.hpp"
#include "../program/executable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr int oldest = 16;
constexpr int newest = 40; // only as far as there are files of that name

/// Where a shell would find the program; empty when nowhere.
std::string in_path(const std::string& name) {
    const char* const path = std::getenv("PATH");
    return find_program(name, path == nullptr ? "/usr/bin:/bin" : path).string();
}

struct installed_tidy {
    std::string path;
    std::string version;
    int major = 0;
};

class finder {
public:
    finder(const tidy_choice& choice, const interrupt_guard& guard) : choice_{choice}, guard_{guard} {}

    tidy_program run() {
        find_plugins();
        find_programs();
        for (auto i = programs_.rbegin(); i != programs_.rend(); ++i) {
            if (const auto plugin = plugin_for(i->first)) {
                return proved({i->second.path, i->second.version, i->first, *plugin});
            }
        }
        explain();
    }

private:
    /// The plugins by version; one whose name does not tell is under 0.
    void find_plugins() {
        if (!choice_.plugin.empty()) {
            std::error_code error;
            if (!fs::is_regular_file(choice_.plugin, error)) {
                throw no_tidy_program{fmt::format("--plugin: there is no file {}", choice_.plugin)};
            }
            std::smatch match;
            const std::string name = fs::path{choice_.plugin}.filename().string();
            static const std::regex pattern{"-(\\d+)\\.so$"};
            const int major = std::regex_search(name, match, pattern) ? std::stoi(match[1]) : 0;
            plugins_[major] = fs::absolute(choice_.plugin).string();
            return;
        }
        for (int major = oldest; major <= newest; ++major) {
            if (const fs::path file = companion(fmt::format("linn-tidy-{}.so", major)); fs::exists(file)) {
                plugins_[major] = file.string();
            }
        }
        if (plugins_.empty()) {
            throw no_tidy_program{fmt::format(
                "there is no plugin linn-tidy-N.so next to linn: it was built without the headers of LLVM.\n"
                "Install libclang-19-dev and llvm-19-dev, build Linn again, and see what CMake says about "
                "LINN_LINT_PLUGIN; or name one with --plugin.")};
        }
    }

    void find_programs() {
        if (!choice_.clang_tidy.empty()) {
            const std::string path = in_path(choice_.clang_tidy);
            if (path.empty()) {
                throw no_tidy_program{
                    fmt::format("--clang-tidy: there is no program {}", choice_.clang_tidy)};
            }
            if (const auto tidy = ask_version(path)) {
                programs_[tidy->major] = *tidy;
            } else {
                throw no_tidy_program{
                    fmt::format("--clang-tidy: {} does not say its version as a clang-tidy does", path)};
            }
            return;
        }
        for (int major = oldest; major <= newest; ++major) {
            for (const std::string& name :
                 {fmt::format("clang-tidy-{}", major), fmt::format("/usr/lib/llvm-{}/bin/clang-tidy", major),
                  fmt::format("/usr/lib/llvm/{}/bin/clang-tidy", major)}) {
                try_program(name);
            }
        }
        for (const char* name :
             {"clang-tidy", "/usr/lib/llvm/bin/clang-tidy", "/opt/homebrew/opt/llvm/bin/clang-tidy"}) {
            try_program(name);
        }
    }

    void try_program(const std::string& name) {
        if (const std::string path = in_path(name); !path.empty()) {
            if (const auto tidy = ask_version(path)) {
                programs_.try_emplace(tidy->major, *tidy);
            }
        }
    }

    std::optional<installed_tidy> ask_version(const std::string& path) {
        const child_result said = call({path, "--version"});
        static const std::regex pattern{"LLVM version (\\d+)(\\.[0-9.]+)?"};
        std::smatch match;
        if (said.how != child_result::ending::exited || said.code != 0 ||
            !std::regex_search(said.out, match, pattern)) {
            return std::nullopt;
        }
        return installed_tidy{path, match[1].str() + match[2].str(), std::stoi(match[1])};
    }

    child_result call(const std::vector<std::string>& words) {
        return run_child(words, child_environment(""), std::chrono::seconds{60}, guard_, [] {});
    }

    std::optional<std::string> plugin_for(int major) const {
        for (const int key : {major, 0}) {
            if (const auto found = plugins_.find(key); found != plugins_.end()) {
                return found->second;
            }
        }
        return std::nullopt;
    }

    /// The program, when it loads the plugin.
    tidy_program proved(tidy_program program) {
        const child_result said =
            call({program.path, "--load=" + program.plugin, "--checks=-*,linn-*", "--dump-config"});
        const bool has_ended_well = said.how == child_result::ending::exited && said.code == 0;
        if (has_ended_well && said.out.find("linn-zero-fill.Facts") != std::string::npos) {
            return program;
        }
        std::string reason = said.err.empty() ? describe_ending(said, std::chrono::seconds{60})
                                              : said.err.substr(0, said.err.find('\n'));
        if (has_ended_well) {
            reason = "it loads, but the checks linn-* are not there, or are those of an older linn";
        }
        throw no_tidy_program{fmt::format(
            "{} (version {}) cannot load {}:\n  {}\n"
            "A plugin fits the clang-tidy of the very version it was built for, linked with the shared LLVM "
            "library: the "
            "one from pip is not. Build Linn again with the libclang-{}-dev and llvm-{}-dev that belong to "
            "this clang-tidy.",
            program.path, program.version, program.plugin, reason, program.major, program.major)};
    }

    [[noreturn]] void explain() const {
        std::vector<std::string> there;
        for (const auto& [major, tidy] : programs_) {
            there.push_back(fmt::format("{} ({})", tidy.path, tidy.version));
        }
        std::vector<std::string> plugins;
        for (const auto& [major, path] : plugins_) {
            plugins.push_back(fmt::format("{} (for clang-tidy {})", path, major));
        }
        const int wanted = plugins_.rbegin()->first;
        const std::string problem =
            there.empty() ? "there is no clang-tidy" : "no clang-tidy here fits the plugin";
        throw no_tidy_program{
            fmt::format("{}.\n  clang-tidy: {}\n  plugins: {}\n{}", problem,
                        there.empty() ? "none found" : fmt::format("{}", fmt::join(there, ", ")),
                        fmt::join(plugins, ", "), how_to_install(wanted == 0 ? 19 : wanted))};
    }

    static std::string how_to_install(int major) {
        return fmt::format("To get the one that fits:\n"
                           "  Debian, Ubuntu   apt install clang-tidy-{0}\n"
                           "  Fedora           dnf install clang-tools-extra   (its version must be {0})\n"
                           "  Arch             pacman -S clang                 (the same)\n"
                           "  conda            conda install -c conda-forge clang-tools={0}\n"
                           "The clang-tidy of pip has LLVM linked in and loads no plugins.",
                           major);
    }

    const tidy_choice& choice_;
    const interrupt_guard& guard_;
    std::map<int, std::string> plugins_;
    std::map<int, installed_tidy> programs_;
};

} // namespace

tidy_program find_tidy_program(const tidy_choice& choice, const interrupt_guard& guard) {
    return finder{choice, guard}.run();
}

} // namespace linn::tool
