// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool {

/// What the value of an option, or an argument, may be, for completion.
enum class value_kind { none, free, file, folder, choice };

/// One option or argument, as manual pages and completions say it.
struct option_words {
    std::vector<std::string> names; ///< "-o", "--out"; empty: an argument
    std::string argument;           ///< an argument's name, "SCENARIO"
    std::string value;              ///< "FILE"
    std::string text;               ///< what it does, and which options exclude it
    bool repeats = false;           ///< takes several values
    bool is_required = false;
    value_kind kind = value_kind::none;
    std::vector<std::string> choices;

    bool is_argument() const noexcept { return names.empty(); }
};

/// One command.
struct command_help {
    std::string name;
    std::string text;
    std::string footer;
    std::vector<option_words> options;
    bool takes_program = false; ///< as in `linn run -- PROG`
};

/// What follows the command's name in a synopsis: " [OPTIONS] [SCENARIO ...] [-- PROG [ARGS]]".
std::string synopsis_of(const command_help& cmd);

/// All that the parser knows. The first "command" has no name: it is the program itself.
std::vector<command_help> words_of(CLI::App& program);

// Scripts that complete the words of `linn`: all that it knows is in them, so completing starts no process.
std::string bash_completion(const std::vector<command_help>& commands);
std::string zsh_completion(const std::vector<command_help>& commands);
std::string fish_completion(const std::vector<command_help>& commands);

/// The help of one command, no line of it wider than `width` but for words that are. `all` are the commands, the program first.
std::string help_text(const command_help& cmd, const std::vector<command_help>& all, std::size_t width);

/// Writes the help of a program and its commands, as wide as the terminal and at most 100 columns wide.
class help_page final : public CLI::FormatterBase {
public:
    explicit help_page(CLI::App& program) : program_{&program} {}
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

private:
    CLI::App* program_;
};

} // namespace linn::tool
