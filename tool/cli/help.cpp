// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include "../report/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace linn::tool {
namespace {

constexpr std::size_t widest = 100;
constexpr std::size_t narrowest = 40;
constexpr std::size_t narrow = 72;        // below, a description stands under its option
constexpr std::size_t second_column = 28; // where descriptions begin
constexpr std::size_t least_column = 24;  // a narrower second column is put under the first

/// The text below column `indent`, its first line without the spaces before it.
std::string hanging(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    for (const char c : wrap(text, std::max(width, indent + least_column) - indent)) {
        out += c;
        out += c == '\n' ? std::string(indent, ' ') : "";
    }
    return out;
}

/// "left    right", or right below left where there is no room.
std::string columns(const std::string& left, std::string_view right, std::size_t column, std::size_t below,
                    std::size_t width) {
    const bool fits = left.size() < column && column + least_column <= width;
    const std::size_t at = fits ? column : std::min(column, below);
    const std::string gap = fits ? std::string(at - left.size(), ' ') : '\n' + std::string(at, ' ');
    return left + gap + hanging(right, width, at) + '\n';
}

/// A command that is too long continues on the next line, as a shell takes it: not within quotes.
std::string command_line(std::string_view text, std::size_t indent, std::size_t width) {
    std::vector<std::string> words{""};
    char quote = 0;
    for (const char c : text) {
        quote = quote == 0 && (c == '\'' || c == '"') ? c : quote == c ? '\0' : quote;
        if (c == ' ' && quote == 0) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    std::string out(indent, ' ');
    std::size_t column = indent;
    for (std::size_t i = 0; i != words.size(); ++i) {
        const std::size_t mark = i + 1 == words.size() ? 0 : 2; // " \" behind it
        if (i != 0 && column + 1 + words[i].size() + mark > width) {
            out += " \\\n" + std::string(indent + 4, ' ');
            column = indent + 4;
        } else if (i != 0) {
            out += ' ';
            ++column;
        }
        out += words[i];
        column += words[i].size();
    }
    return out;
}

/// One thought of a footer: a heading, a paragraph, a line of two columns, or a command.
struct footer_part {
    std::size_t indent = 0;
    std::string text;
    std::size_t column = 0; ///< of `right`; 0: there is none
    std::string right;
    bool is_command = false;
};

footer_part part_of(std::string_view line, bool is_command) {
    footer_part part;
    part.indent = std::min(line.find_first_not_of(' '), line.size());
    part.is_command = is_command && part.indent != 0;
    const std::size_t gap = part.indent == 0 ? std::string_view::npos : line.find("  ", part.indent);
    part.text = line.substr(part.indent, gap == std::string_view::npos ? gap : gap - part.indent);
    if (gap != std::string_view::npos) {
        part.column = std::min(line.find_first_not_of(' ', gap), line.size());
        part.right = line.substr(part.column);
    }
    return part;
}

bool is_heading(std::string_view line) {
    return !line.empty() && line.front() != ' ' && line.back() == ':';
}

/// The parts, lines that were broken for the source put together. An empty line is an empty part.
std::vector<footer_part> parts_of(const std::string& footer) {
    std::vector<footer_part> parts;
    std::istringstream in{footer};
    bool are_commands = false;
    bool continues = false; // the line before ends in a backslash
    for (std::string line; std::getline(in, line);) {
        are_commands = is_heading(line) ? line == "Examples:" : are_commands;
        footer_part part = part_of(line, are_commands);
        const bool ends_in_mark = line.ends_with(" \\");
        if (ends_in_mark) {
            part.text.resize(part.text.size() - 2);
        }
        footer_part* const last = parts.empty() || parts.back().text.empty() ? nullptr : &parts.back();
        if (continues && last != nullptr) {
            last->text += ' ' + part.text;
        } else if (last != nullptr && part.column == 0 && !part.text.empty() && last->column == part.indent &&
                   part.indent != 0) {
            last->right += ' ' + part.text; // below the second column of the line before
        } else if (last != nullptr && !part.text.empty() && !part.is_command && part.column == 0 &&
                   last->column == 0 && last->indent == part.indent && !is_heading(line) &&
                   !is_heading(last->text)) {
            last->text += ' ' + part.text;
        } else {
            parts.push_back(part);
        }
        continues = ends_in_mark;
    }
    return parts;
}

std::string footer_text(const std::string& footer, std::size_t width) {
    std::string out;
    for (const footer_part& part : parts_of(footer)) {
        const std::string indent(part.indent, ' ');
        const std::string left = part.is_command ? command_line(part.text, part.indent, width)
                                                 : indent + hanging(part.text, width, part.indent);
        out +=
            part.right.empty() ? left + '\n' : columns(left, part.right, part.column, part.indent + 4, width);
    }
    return out;
}

std::string option_line(const option_words& option, std::size_t width) {
    std::string left = "  ";
    left += option.is_argument() ? option.argument : fmt::format("{}", fmt::join(option.names, ", "));
    if (!option.is_argument() && !option.value.empty()) {
        left += fmt::format(" {}{}", option.value, option.repeats ? " ..." : "");
    }
    return width < narrow ? fmt::format("{}\n      {}\n", left, hanging(option.text, width, 6))
                          : columns(left, option.text, second_column, second_column, width);
}

} // namespace

std::string help_text(const command_help& cmd, const std::vector<command_help>& all, std::size_t width) {
    std::string text = hanging(cmd.text, width, 0) + '\n';
    text += "Usage: " + hanging(fmt::format("linn {}{}", cmd.name, synopsis_of(cmd)), width, 7) + '\n';
    std::string arguments;
    std::string options;
    for (const option_words& option : cmd.options) {
        (option.is_argument() ? arguments : options) += option_line(option, width);
    }
    text += arguments.empty() ? "" : "\nArguments:\n" + arguments;
    text += "\nOptions:\n" + options;
    if (cmd.name.empty()) {
        text += "\nCommands:\n";
        for (const command_help& one : all) {
            text += one.name.empty() ? "" : columns("  " + one.name, one.text, 14, 6, width);
        }
    }
    return text + '\n' + footer_text(cmd.footer, width);
}

std::string help_page::make_help(const CLI::App* app, std::string /*name*/,
                                 CLI::AppFormatMode /*mode*/) const {
    const std::vector<command_help> all = words_of(*program_);
    const std::string name = app == program_ ? "" : app->get_name();
    const auto cmd = std::ranges::find_if(all, [&](const command_help& one) { return one.name == name; });
    return help_text(cmd == all.end() ? all.front() : *cmd, all,
                     std::clamp(style_of_stdout().width, narrowest, widest));
}

namespace {

std::vector<std::string> choices_of(CLI::Option& option) {
    std::vector<std::string> words;
    try {
        std::istringstream names{
            option.get_validator(0)->get_name()}; // `one_of` and `offered` put them there
        for (std::string word; names >> word;) {
            words.push_back(word);
        }
    } catch (const CLI::OptionNotFound&) { // it has no validator
    }
    return words;
}

value_kind kind_of(const option_words& option) {
    if (!option.choices.empty()) {
        return value_kind::choice;
    }
    const auto is = [&](const char* part) { return option.value.find(part) != std::string::npos; };
    if (is("FILE") || is("PATH") || is(".json") || is("TRACE")) {
        return value_kind::file;
    }
    if (is("DIR") || is("FOLDER")) {
        return value_kind::folder;
    }
    return option.value.empty() ? value_kind::none : value_kind::free;
}

option_words words_of(CLI::Option& option) {
    option_words words;
    for (const std::string& name : option.get_snames()) {
        words.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        words.names.push_back("--" + name);
    }
    words.argument = words.names.empty() ? option.get_name() : "";
    words.text = option.get_description();
    std::vector<std::string> excluded;
    for (const CLI::Option* other : option.get_excludes()) {
        excluded.push_back(other->get_name());
    }
    std::ranges::sort(excluded); // the parser's set is ordered by address
    if (!excluded.empty() && !words.names.empty()) {
        words.text += fmt::format("; not with {}", fmt::join(excluded, ", "));
    }
    words.repeats = option.get_expected_max() > 1;
    words.is_required = option.get_required();
    words.choices = choices_of(option);
    if (option.get_expected_max() != 0) {
        words.value = option.get_type_name();
    }
    words.kind = kind_of(words);
    return words;
}

} // namespace

std::string synopsis_of(const command_help& cmd) {
    std::string text = cmd.name.empty() ? " COMMAND" : " [OPTIONS]";
    for (const option_words& option : cmd.options) {
        if (option.is_argument()) {
            text += fmt::format(fmt::runtime(option.is_required ? " {}{}" : " [{}{}]"), option.argument,
                                option.repeats ? " ..." : "");
        }
    }
    return text + (cmd.takes_program ? " [-- PROG [ARGS]]" : "");
}

std::vector<command_help> words_of(CLI::App& program) {
    std::vector<command_help> all;
    const auto add = [&](CLI::App& app, const std::string& name) {
        command_help& cmd = all.emplace_back(
            command_help{name, app.get_description(), app.get_footer(), {}, app.get_prefix_command()});
        for (CLI::Option* option : app.get_options()) {
            if (option->get_group().empty()) {
                continue; // hidden: it only says why there is none
            }
            cmd.options.push_back(words_of(*option));
        }
    };
    add(program, "");
    for (CLI::App* app : program.get_subcommands([](CLI::App*) { return true; })) {
        add(*app, app->get_name());
    }
    return all;
}

} // namespace linn::tool
