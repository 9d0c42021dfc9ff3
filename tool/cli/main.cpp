// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/suggest.hpp"
#include "../report/document/document.hpp"
#include "../report/terminal.hpp"
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// Says what is wrong with the arguments and what would be right.
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
            fmt::print(stderr, "linn: this build has no command '{}': `make tool` builds everything\n", word);
            return exit_usage;
        }
    }
    if (message.empty()) {
        message = sentence_of(error, *place);
    }
    fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", name, message, name);
    return exit_usage;
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
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

int run(int argc, char** argv) {
    CLI::App program{"linn: object memory pools for C++, and what they are worth on this machine", "linn"};
    program.formatter(make_help_page()); // commands that are added later have it too
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
            fmt::print(stderr, "{}", program.help());
            return exit_usage;
        }
        return explain(program, error);
    }
    choose_colour(colour);
    const auto chosen = std::ranges::find_if(commands, [](const auto& v) { return v->app().parsed(); });
    command& one = **chosen; // one is required
    std::string problem = unknown_option(one.app(), one.app().remaining());
    problem = problem.empty() ? one.check() : problem;
    try {
        return problem.empty() ? one.run() : one.refuse_arguments(problem);
    } catch (const unusable_input& error) {
        if (const int signal = interrupt_guard::pending(); signal != 0) { // which stopped what was needed
            return 128 + signal;
        }
        return one.refuse(error.what(),
                          dynamic_cast<const damaged_input*>(&error) != nullptr ? exit_failure : exit_usage);
    }
}

} // namespace
} // namespace linn::tool

int main(int argc, char** argv) {
    try {
        return linn::tool::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "linn: {}\n", error.what());
        return linn::tool::exit_failure;
    }
}
