// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/suggest.hpp"
#include "../report/document/document.hpp"
#include "command.hpp"
#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// The text as troff prints it: no line begins with a request, and a hyphen is the one that is typed.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (out.empty() || out.back() == '\n') {
            out += c == '.' || c == '\'' ? "\\&" : "";
        }
        out += c == '\\' ? std::string{"\\e"} : c == '-' ? std::string{"\\-"} : std::string{c};
    }
    return out;
}

std::string upper(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string page_name(const command_help& cmd) {
    return cmd.name.empty() ? "linn" : "linn-" + cmd.name;
}

/// "Examples:" and the indented lines below it, as a section; each heading of the help text is one.
std::string sections(const std::string& footer) {
    std::string out;
    std::istringstream in{footer};
    bool is_open = false;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.front() != ' ' && line.back() == ':') {
            out += is_open ? ".fi\n" : "";
            line.pop_back();
            out += fmt::format(".SH {}\n.nf\n", upper(plain(line)));
            is_open = true;
        } else if (!line.empty()) {
            out += is_open ? "" : ".SH DESCRIPTION\n.nf\n";
            is_open = true;
            out += plain(line) + '\n';
        }
    }
    return out + (is_open ? ".fi\n" : "");
}

/// The manual page of a command, or of the program where `command` has no name; the same words as --help.
/// @source man(7)
std::string man_page(const command_help& cmd, const std::vector<command_help>& all) {
    const std::string name = page_name(cmd);
    std::string options;
    for (const option_words& option : cmd.options) {
        if (option.is_argument()) {
            options += fmt::format(".TP\n\\fI{}\\fR\n{}\n", plain(option.argument), plain(option.text));
            continue;
        }
        const std::string value =
            option.kind == value_kind::none ? "" : fmt::format(" \\fI{}\\fR", plain(option.value));
        options +=
            fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(fmt::format("{}", fmt::join(option.names, ", "))),
                        value, plain(option.text));
    }
    std::string text = fmt::format(".TH {} 1 \"\" \"linn {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n"
                                   ".SH SYNOPSIS\n\\fBlinn {}\\fR{}\n",
                                   upper(plain(name)), plain(version_text()), plain(name), plain(cmd.text),
                                   cmd.name, plain(synopsis_of(cmd)));
    if (cmd.name.empty()) {
        text += ".SH COMMANDS\n";
        for (const command_help& one : all) {
            if (!one.name.empty()) {
                text += fmt::format(".TP\n\\fBlinn\\-{}\\fR(1)\n{}\n", one.name, plain(one.text));
            }
        }
    }
    text += fmt::format(".SH OPTIONS\n{}", options) + sections(cmd.footer);
    return text + ".SH EXIT STATUS\n0: done; 1: it failed, or found what it looks for; 2: the arguments are "
                  "wrong.\n";
}

/// Shows the page on a terminal that has man. A file and not a pipe, so that a pager that is left early ends nothing.
bool is_shown(const std::string& page) {
    std::FILE* const file = ::isatty(STDOUT_FILENO) != 0 ? std::tmpfile() : nullptr;
    if (file == nullptr || std::fputs(page.c_str(), file) < 0 || std::fseek(file, 0, SEEK_SET) != 0 ||
        ::dup2(::fileno(file), STDIN_FILENO) < 0) {
        return false;
    }
    return std::system("man -l - 2>/dev/null") == 0;
}

} // namespace

/// `linn completion SHELL`.
class completion_command final : public command {
public:
    explicit completion_command(CLI::App& program)
        : command{program, "completion", "Print a script that completes linn's words in a shell",
                  "Examples:\n"
                  "  source <(linn completion bash)                                  in this shell\n"
                  "  linn completion zsh > ~/.zfunc/_linn                            a folder of $fpath\n"
                  "  linn completion fish > ~/.config/fish/completions/linn.fish\n"},
          program_{program} {
        app()
            .add_option("SHELL", shell_, "bash, zsh or fish")
            ->required()
            ->check(one_of({"bash", "zsh", "fish"}));
    }

    int run() override {
        const std::vector<command_help> commands = words_of(program_);
        fmt::print("{}", shell_ == "bash"  ? bash_completion(commands)
                         : shell_ == "zsh" ? zsh_completion(commands)
                                           : fish_completion(commands));
        return exit_success;
    }

private:
    CLI::App& program_;
    std::string shell_;
};

/// `linn man [COMMAND]`, in man's pager on a terminal; with --into all pages and completions, in the folders below share/ where programs look for them.
class man_command final : public command {
public:
    explicit man_command(CLI::App& program)
        : command{program, "man", "Show a manual page on a terminal; its source in a pipe",
                  "Examples:\n"
                  "  linn man bench                      the page of a command\n"
                  "  linn man --into ~/.local/share      all pages and completions\n"},
          program_{program} {
        CLI::Option* const one =
            app().add_option("COMMAND", command_name_, "whose page (default: linn's own)");
        app()
            .add_option("--into", folder_,
                        "write all pages, and the completions, below DIR as below /usr/share")
            ->type_name("DIR")
            ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
            ->excludes(one);
    }

    int run() override {
        const std::vector<command_help> commands = words_of(program_);
        if (!folder_.empty()) {
            return write_all(commands);
        }
        const auto found =
            std::ranges::find_if(commands, [&](const command_help& v) { return v.name == command_name_; });
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

private:
    int write_all(const std::vector<command_help>& commands) const {
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

    CLI::App& program_;
    std::string command_name_;
    std::string folder_;
};

std::unique_ptr<command> make_completion(CLI::App& program) {
    return std::make_unique<completion_command>(program);
}

std::unique_ptr<command> make_man(CLI::App& program) {
    return std::make_unique<man_command>(program);
}

} // namespace linn::tool
