// SPDX-License-Identifier: Apache-2.0
#include "../report/terminal.hpp"
#include "command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

std::string option_line(const CLI::Option& option, std::size_t width) {
    const std::vector<std::string> names = names_of(option);
    std::string left = "  " + (names.empty() ? option.get_name() : fmt::format("{}", fmt::join(names, ", ")));
    if (!names.empty() && option.get_expected_max() != 0) {
        left += fmt::format(" {}{}", option.get_type_name(), option.get_expected_max() > 1 ? " ..." : "");
    }
    std::vector<std::string> excluded;
    for (const CLI::Option* other : option.get_excludes()) {
        excluded.push_back(other->get_name());
    }
    std::ranges::sort(excluded); // the parser's set is ordered by address
    const std::string right =
        option.get_description() +
        (excluded.empty() ? "" : fmt::format("; not with {}", fmt::join(excluded, ", ")));
    return width < narrow ? fmt::format("{}\n      {}\n", left, hanging(right, width, 6))
                          : columns(left, right, second_column, second_column, width);
}

/// What follows the command's name in a synopsis: " [OPTIONS] [SCENARIO ...] [-- PROG [ARGS]]".
std::string synopsis_of(const CLI::App& app) {
    std::string text = app.get_parent() == nullptr ? " COMMAND" : " [OPTIONS]";
    for (const CLI::Option* option : app.get_options()) {
        if (names_of(*option).empty()) {
            text += fmt::format(fmt::runtime(option->get_required() ? " {}{}" : " [{}{}]"),
                                option->get_name(), option->get_expected_max() > 1 ? " ..." : "");
        }
    }
    return text + (app.get_prefix_command() ? " [-- PROG [ARGS]]" : "");
}

/// The help of the program or of a command. Its footer stands as it was written, in lines of at most 100 columns.
class help_page final : public CLI::FormatterBase {
public:
    std::string make_help(const CLI::App* app, std::string /*name*/,
                          CLI::AppFormatMode /*mode*/) const override {
        const std::size_t width = std::clamp(style_of_stdout().width, narrowest, widest);
        std::string text = hanging(app->get_description(), width, 0) + '\n';
        const std::string name = app->get_parent() == nullptr ? "linn" : "linn " + app->get_name();
        text += "Usage: " + hanging(name + synopsis_of(*app), width, 7) + '\n';
        std::string arguments;
        std::string options;
        for (const CLI::Option* option : app->get_options()) {
            (names_of(*option).empty() ? arguments : options) += option_line(*option, width);
        }
        text += arguments.empty() ? "" : "\nArguments:\n" + arguments;
        text += "\nOptions:\n" + options;
        const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
        text += commands.empty() ? "" : "\nCommands:\n";
        for (const CLI::App* command : commands) {
            text += columns("  " + command->get_name(), command->get_description(), 14, 6, width);
        }
        return text + '\n' + app->get_footer();
    }
};

} // namespace

std::shared_ptr<CLI::FormatterBase> make_help_page() {
    return std::make_shared<help_page>();
}

} // namespace linn::tool
