// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/suggest.hpp"
#include "../report/document/document.hpp"
#include "../report/terminal.hpp"
#include "command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>

namespace linn::tool {
namespace {

struct command_row {
    std::string_view name;
    make_command make;
};

// The commands of this build, in the order of the help text: that of `make bench` has two.
#ifdef LINN_MEASURE_ONLY
constexpr bool is_whole_build = false;
constexpr command_row command_table[]{{"bench", &make_bench}, {"allocators", &make_allocators}};
#else
constexpr bool is_whole_build = true;
constexpr command_row command_table[]{
    {"bench", &make_bench},
    {"compare", &make_compare},
    {"run", &make_run},
    {"record", &make_record},
    {"trace", &make_trace},
    {"check", &make_check},
    {"advise", &make_advise},
    {"try", &make_try},
    {"pools", &make_pools},
    {"lint", &make_lint},
    {"allocators", &make_allocators},
};
#endif

constexpr std::size_t widest = 100;
constexpr std::size_t narrowest = 40;
constexpr std::size_t narrow = 72;        // below, a description stands under its option
constexpr std::size_t second_column = 28; // where descriptions begin

/// The text below column `indent`, its first line without the spaces before it.
std::string hanging(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    for (const char c : wrap(text, width - indent)) {
        out += c;
        out += c == '\n' ? std::string(indent, ' ') : "";
    }
    return out;
}

/// "left    right", or right below left where there is no room.
std::string columns(const std::string& left, std::string_view right, std::size_t column, std::size_t width) {
    const std::string gap =
        left.size() + 1 < column ? std::string(column - left.size(), ' ') : '\n' + std::string(column, ' ');
    return left + gap + hanging(right, width, column) + '\n';
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
    return columns(left, right, width < narrow ? 6 : second_column, width);
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

/// The help of the program or of a command, as wide as the terminal: 40 to 100 columns. Its footer stands as it was written, in lines
/// of at most 100 columns.
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
            text += columns("  " + command->get_name(), command->get_description(), 14, width);
        }
        return text + '\n' + app->get_footer();
    }
};

/// "A<between>B" as "A<now>B<behind>".
std::string replaced(const std::string& text, std::string_view between, std::string_view now,
                     std::string_view behind) {
    const std::size_t at = text.find(between);
    return at == std::string::npos
               ? text
               : fmt::format("{}{}{}{}", text.substr(0, at), now, text.substr(at + between.size()), behind);
}

/// The parser's complaint about a command's arguments as a sentence: "--rounds must be a whole number from 1 to 100000, not 'abc'".
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
    const std::string text = error.what();
    if (error.get_name() == "ValidationError") {
        return replaced(text, ": must be ", " must be ", "");
    }
    if (error.get_name() == "ExcludesError") {
        return replaced(text, " excludes ", " and ", " cannot be combined");
    }
    if (error.get_name() == "RequiresError") {
        return replaced(text, " requires ", " needs ", "");
    }
    if (error.get_name() == "RequiredError" && text.starts_with("A subcommand")) {
        return "missing COMMAND";
    }
    if (error.get_name() == "RequiredError" && text.ends_with(" is required")) {
        return missing_argument(app, text.substr(0, text.find(' ')));
    }
    // "--json: 1 required FILE missing", "--into: At Most 1 required but received 2"; the rest differs by version.
    const std::string given = text.substr(0, text.find_first_of(": "));
    const std::string name = given.empty() ? "an option" : given;
    if (error.get_name() == "ArgumentMismatch") {
        const std::string_view before = " required ";
        const std::size_t type = text.find(before);
        return type != std::string::npos && text.ends_with(" missing")
                   ? fmt::format("{} needs a value: {}", name,
                                 text.substr(type + before.size(),
                                             text.size() - type - before.size() - std::strlen(" missing")))
                   : name + " is given too often, or with too many values";
    }
    if (error.get_name() == "ConversionError") {
        const std::size_t at = text.find('-');
        return at == std::string::npos
                   ? "a value cannot be used"
                   : text.substr(at, text.find_first_of(": ", at) - at) + " cannot have this value";
    }
    return text;
}

/// What is wrong where an option is left over, which is none of the command's: a program's own stand behind the program or "--".
std::string unknown_option(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.empty() || words.front() == separator_word || !words.front().starts_with('-')) {
        return {};
    }
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    const std::string& word = words.front();
    return fmt::format("unknown option '{}'{}", word, did_you_mean(word.substr(0, word.find('=')), names));
}

/// Says what is wrong with the words behind the name of the program or the command, and where there is help.
int complain(const std::string& name, std::string_view problem) {
    write_to_stderr(fmt::format("{}: {}\nTry '{} --help'.\n", name, problem, name));
    return exit_usage;
}

int explain(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App* place = &program;
    for (const CLI::App* app : program.get_subcommands()) {
        place = app;
    }
    const std::string name = place == &program ? "linn" : "linn " + place->get_name();

    const std::vector<std::string> left = program.remaining(true);
    std::string message = unknown_option(*place, left);
    // What is left over belongs to the program that `run` or `record` starts.
    if (message.empty() && !left.empty() && !place->get_prefix_command()) {
        const std::string& word = left.front();
        if (place != &program) {
            message = fmt::format("unexpected '{}'", word);
        } else if (is_whole_build) {
            std::vector<std::string> candidates;
            for (const CLI::App* app : program.get_subcommands([](const CLI::App*) { return true; })) {
                candidates.push_back(app->get_name());
            }
            message = fmt::format("unknown command '{}'{}", word, did_you_mean(word, candidates));
        } else {
            write_to_stderr(
                fmt::format("linn: this build has no command '{}': `make tool` builds everything\n", word));
            return exit_usage;
        }
    }
    if (message.empty()) {
        message = sentence_of(error, *place);
    }
    return complain(name, message);
}

/// The arguments in the order in which the parser wants them, the last one first. A command that takes a program, as in
/// `linn run -- PROG`, keeps its "--". `linn help run` is `linn run --help`.
std::vector<std::string> words_of(const CLI::App& program, int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        const auto is_named = [&](const CLI::App* app) { return app->get_name() == words.front(); };
        if (words.empty() || !program.get_subcommands(is_named).empty()) {
            words.emplace_back("--help");
        }
    }
    const auto takes_program = [&](const CLI::App* app) {
        return app->get_prefix_command() && app->get_name() == words.front();
    };
    if (!words.empty() && !program.get_subcommands(takes_program).empty()) {
        if (const auto mark = std::ranges::find(words, "--"); mark != words.end()) {
            *mark = separator_word;
        }
    }
    std::reverse(words.begin(), words.end());
    return words;
}

void add_colour(CLI::App& app, std::string& colour) {
    add_value(app, "--color", colour, "WHEN",
              "bold text: auto (on a terminal, without NO_COLOR), always or never",
              one_of({"auto", "always", "never"}))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group("Options"); // not the one that a command made last
}

int run(int argc, char** argv) {
    CLI::App program{"linn: object memory pools for C++, and what they are worth on this machine", "linn"};
    program.formatter(std::make_shared<help_page>()); // commands that are added later have it too
    program.set_help_flag("-h,--help", "print this and exit");
    program.set_version_flag("-V,--version", "linn " + version_text(), "print the version and exit");
    program.footer(
        "Examples:\n"
        "  linn bench                compare allocators and pools\n"
        "  linn run -- PROG          would another allocator make this program faster or smaller?\n"
        "  linn record -- PROG       what does it allocate?\n"
        "  linn advise PROG.linn     which types need a pool, and what they would gain\n"
        "  linn help bench           scenarios, contenders and options\n");
    program.require_subcommand(1);
    // The options of all commands take longer to make than most programs to start, and `linn pools` starts programs.
    const bool is_named =
        argc > 1 && std::ranges::find(command_table, argv[1], &command_row::name) != std::end(command_table);
    std::vector<std::unique_ptr<command>> commands;
    for (const command_row& one : command_table) {
        if (!is_named || one.name == argv[1]) {
            commands.push_back(one.make(program));
        }
    }
    std::string colour = "auto";
    add_colour(program, colour);
    for (const auto& v : commands) {
        add_colour(v->app(), colour);
    }
    try {
        program.parse(words_of(program, argc, argv));
    } catch (const CLI::Success& help_or_version) {
        return program.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
        if (argc == 1) {
            write_to_stderr(program.help());
            return exit_usage;
        }
        return explain(program, error);
    }
    choose_colour(colour);
    const auto chosen = std::ranges::find_if(commands, [](const auto& v) { return v->app().parsed(); });
    command& one = **chosen; // one is required
    try {
        if (const std::string problem = unknown_option(one.app(), one.app().remaining()); !problem.empty()) {
            throw wrong_arguments{problem};
        }
        return one.run();
    } catch (const wrong_arguments& error) {
        return complain("linn " + one.app().get_name(), error.what());
    } catch (const unusable_input& error) {
        if (const int signal = interrupt_guard::pending(); signal != 0) { // which stopped what was needed
            return 128 + signal;
        }
        return one.refuse(error.what(),
                          dynamic_cast<const damaged_input*>(&error) != nullptr ? exit_failure : exit_usage);
    } catch (const std::runtime_error& error) {
        return one.refuse(error.what());
    }
}

} // namespace
} // namespace linn::tool

int main(int argc, char** argv) {
    linn::tool::open_standard_streams();
    try {
        return linn::tool::run(argc, argv);
    } catch (const std::exception& error) {
        linn::tool::write_to_stderr(fmt::format("linn: {}\n", error.what()));
        return linn::tool::exit_failure;
    }
}
