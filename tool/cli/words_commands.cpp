// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/suggest.hpp"
#include "command.hpp"
#include "help.hpp"
#include "option_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool {

/// `linn completion SHELL`.
class completion_command final : public command {
public:
    explicit completion_command(CLI::App& program);
    int run() override;

private:
    CLI::App& program_;
    std::string shell_;
};

/// `linn man [COMMAND]`, in man's pager on a terminal; with --into all pages and completions, in the folders below share/ where programs look for them.
class man_command final : public command {
public:
    explicit man_command(CLI::App& program);
    int run() override;

private:
    int write_all(const std::vector<command_help>& commands) const;

    CLI::App& program_;
    std::string command_name_;
    std::string folder_;
};

completion_command::completion_command(CLI::App& program)
    : command{*program.add_subcommand("completion", "Print a script that completes linn's words in a shell")},
      program_{program} {
    app().footer("Examples:\n"
                 "  source <(linn completion bash)                                  in this shell\n"
                 "  linn completion zsh > ~/.zfunc/_linn                            a folder of $fpath\n"
                 "  linn completion fish > ~/.config/fish/completions/linn.fish\n");
    app()
        .add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->check(one_of({"bash", "zsh", "fish"}));
}

int completion_command::run() {
    const std::vector<command_help> commands = words_of(program_);
    fmt::print("{}", shell_ == "bash"  ? bash_completion(commands)
                     : shell_ == "zsh" ? zsh_completion(commands)
                                       : fish_completion(commands));
    return exit_success;
}

man_command::man_command(CLI::App& program)
    : command{*program.add_subcommand("man", "Show a manual page on a terminal; its source in a pipe")},
      program_{program} {
    app().footer("Examples:\n"
                 "  linn man bench                      the page of a command\n"
                 "  linn man --into ~/.local/share      all pages and completions\n");
    CLI::Option* const one = app().add_option("COMMAND", command_name_, "whose page (default: linn's own)");
    app()
        .add_option("--into", folder_, "write all pages, and the completions, below DIR as below /usr/share")
        ->type_name("DIR")
        ->excludes(one);
}

int man_command::write_all(const std::vector<command_help>& commands) const {
    namespace fs = std::filesystem;
    std::vector<std::pair<fs::path, std::string>> files{
        {"bash-completion/completions/linn", bash_completion(commands)},
        {"zsh/site-functions/_linn", zsh_completion(commands)},
        {"fish/vendor_completions.d/linn.fish", fish_completion(commands)}};
    for (const command_help& v : commands) {
        files.emplace_back(fmt::format("man/man1/linn{}{}.1", v.name.empty() ? "" : "-", v.name),
                           man_page(v, commands));
    }
    try {
        for (const auto& [name, text] : files) {
            const fs::path path = fs::path{folder_} / name;
            fs::create_directories(path.parent_path());
            write_file(path, text);
        }
    } catch (const fs::filesystem_error& error) {
        return refuse(fmt::format("cannot write {}: {}", error.path1().string(), error.code().message()));
    }
    return exit_success;
}

/// Shows the page on a terminal that has man. A file and not a pipe, so that a pager that is left early ends nothing.
static bool is_shown(const std::string& page) {
    std::FILE* const file = ::isatty(STDOUT_FILENO) != 0 ? std::tmpfile() : nullptr;
    if (file == nullptr || std::fputs(page.c_str(), file) < 0 || std::fseek(file, 0, SEEK_SET) != 0 ||
        ::dup2(::fileno(file), STDIN_FILENO) < 0) {
        return false;
    }
    return std::system("man -l - 2>/dev/null") == 0;
}

int man_command::run() {
    const std::vector<command_help> commands = words_of(program_);
    if (!folder_.empty()) {
        return write_all(commands);
    }
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const command_help& v) { return v.name == command_name_; });
    if (found == commands.end()) {
        std::vector<std::string> names;
        for (const command_help& v : commands) {
            names.push_back(v.name);
        }
        return refuse(
            fmt::format("unknown command '{}'{}", command_name_, did_you_mean(command_name_, names)),
            exit_usage);
    }
    if (const std::string page = man_page(*found, commands); !is_shown(page)) {
        fmt::print("{}", page);
    }
    return exit_success;
}

std::unique_ptr<command> make_completion(CLI::App& program) {
    return std::make_unique<completion_command>(program);
}

std::unique_ptr<command> make_man(CLI::App& program) {
    return std::make_unique<man_command>(program);
}

} // namespace linn::tool
