// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace linn::tool {
namespace {

/// `text` with each of `letters` behind a backslash.
std::string escaped(std::string_view text, std::string_view letters) {
    std::string out;
    for (const char c : text) {
        if (letters.find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

/// In single quotes, as all three shells read them; `letters` mean something inside to who reads the word.
std::string in_quotes(std::string_view text, std::string_view letters = {}) {
    std::string out = "'";
    for (const char c : escaped(text, letters)) {
        out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    }
    return out + '\'';
}

std::vector<std::string> names_of(const std::vector<command_help>& commands) {
    std::vector<std::string> names{"help"};
    for (const command_help& cmd : commands) {
        if (!cmd.name.empty()) {
            names.push_back(cmd.name);
        }
    }
    return names;
}

/// The command that bash runs to complete such a value.
std::string bash_values(const option_words& option) {
    switch (option.kind) {
    case value_kind::choice:
        return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))",
                           in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    case value_kind::file:
        return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
    case value_kind::folder:
        return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
    case value_kind::free:
    case value_kind::none:
        break;
    }
    return ":";
}

std::string zsh_values(const option_words& option) {
    switch (option.kind) {
    case value_kind::choice:
        return fmt::format("({})", fmt::join(option.choices, " "));
    case value_kind::file:
        return "_files";
    case value_kind::folder:
        return "_files -/";
    case value_kind::free:
    case value_kind::none:
        break;
    }
    return " ";
}

} // namespace

std::string bash_completion(const std::vector<command_help>& commands) {
    std::string values; // by command and option before the word
    std::string options;
    std::string arguments;
    for (const command_help& cmd : commands) {
        std::vector<std::string> names;
        for (const option_words& option : cmd.options) {
            if (option.is_argument()) {
                arguments += fmt::format("    {}) {} ;;\n", in_quotes(cmd.name), bash_values(option));
                continue;
            }
            names.insert(names.end(), option.names.begin(), option.names.end());
            if (option.kind != value_kind::none) {
                for (const std::string& name : option.names) {
                    values += fmt::format("    {}) {}; return ;;\n", in_quotes(cmd.name + ' ' + name),
                                          bash_values(option));
                }
            }
        }
        options += fmt::format("        {}) words={} ;;\n", in_quotes(cmd.name),
                               in_quotes(fmt::format("{}", fmt::join(names, " "))));
    }
    const std::string all = in_quotes(fmt::format("{}", fmt::join(names_of(commands), " ")));
    return fmt::format(
        R"(# bash completion of linn: source it, or install it as share/bash-completion/completions/linn
_linn() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} cmd= words= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
        --) # the program to run, and its words
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            else
                compopt -o filenames
                COMPREPLY=($(compgen -c -- "$word"))
            fi
            return ;;
        -*) ;;
        *) cmd=${{cmd:-${{COMP_WORDS[i]}}}} ;;
        esac
    done
    case "$cmd $before" in
{}    esac
    if [[ $word == -* ]]; then
        case $cmd in
{}        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case $cmd in
    '' | help) COMPREPLY=($(compgen -W {} -- "$word")) ;;
{}    esac
}}
complete -F _linn linn
)",
        values, options, all, arguments);
}

std::string zsh_completion(const std::vector<command_help>& commands) {
    std::string described;
    std::string cases;
    for (const command_help& cmd : commands) {
        std::string specs;
        for (const option_words& option : cmd.options) {
            const std::string value =
                option.kind == value_kind::none
                    ? ""
                    : fmt::format(":{}:{}", escaped(option.value, ":"), zsh_values(option));
            if (option.is_argument()) {
                specs +=
                    fmt::format(" \\\n            {}",
                                in_quotes(fmt::format(
                                    "*:{}:{}", option.text.empty() ? "word" : escaped(option.text, ":[]"),
                                    zsh_values(option))));
                continue;
            }
            for (const std::string& name : option.names) {
                specs += fmt::format(
                    " \\\n            {}",
                    in_quotes(fmt::format("*{}[{}]{}", name, escaped(option.text, ":[]"), value)));
            }
        }
        if (cmd.takes_program) {
            specs += " \\\n            '(-)*:: :_normal'";
        }
        if (!cmd.name.empty()) {
            described += fmt::format("        {}\n", in_quotes(cmd.name + ':' + escaped(cmd.text, ":")));
            cases += fmt::format("        {})\n            _arguments -s{} ;;\n", cmd.name, specs);
        }
    }
    return fmt::format(R"(#compdef linn
# zsh completion of linn: install it as _linn in a folder of $fpath
_linn() {{
    local -a names
    local state
    names=(
{}        'help:Say how a command is used'
    )
    _arguments -C '--version[print the version]' '--help[print help]' '1: :->cmd' '*:: :->words'
    case $state in
    cmd) _describe command names ;;
    words)
        case $words[1] in
        help) _describe command names ;;
{}        esac ;;
    esac
}}
_linn "$@"
)",
                       described, cases);
}

std::string fish_completion(const std::vector<command_help>& commands) {
    std::string text =
        "# fish completion of linn: install it as completions/linn.fish\ncomplete -c linn -f\n";
    for (const command_help& cmd : commands) {
        const std::string when = cmd.name.empty() ? "__fish_use_subcommand"
                                                  : fmt::format("__fish_seen_subcommand_from {}", cmd.name);
        if (!cmd.name.empty()) {
            text += fmt::format("complete -c linn -n __fish_use_subcommand -a {} -d {}\n", cmd.name,
                                in_quotes(cmd.text, "\\"));
        }
        for (const option_words& option : cmd.options) {
            text += fmt::format("complete -c linn -n '{}'", when);
            for (const std::string& name : option.names) {
                text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                               : fmt::format(" -s {}", name.substr(1));
            }
            switch (option.kind) {
            case value_kind::choice:
                text += fmt::format("{} -a {}", option.is_argument() ? "" : " -x",
                                    in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
                break;
            case value_kind::file:
                text += option.is_argument() ? " -F" : " -r -F";
                break;
            case value_kind::folder:
                text += " -x -a '(__fish_complete_directories)'";
                break;
            case value_kind::free:
                text += option.is_argument() ? "" : " -x";
                break;
            case value_kind::none:
                break;
            }
            text += fmt::format(" -d {}\n", in_quotes(option.text, "\\"));
        }
        if (cmd.takes_program) {
            text += fmt::format("complete -c linn -n '{}; and contains -- -- (commandline -opc)' -a "
                                "'(__fish_complete_subcommand)'\n",
                                when);
        }
    }
    const std::string all = fmt::format("{}", fmt::join(names_of(commands), " "));
    text += fmt::format("complete -c linn -n __fish_use_subcommand -a help -d 'Say how a command is used'\n"
                        "complete -c linn -n '__fish_seen_subcommand_from help' -a {}\n",
                        in_quotes(all));
    return text;
}

} // namespace linn::tool
