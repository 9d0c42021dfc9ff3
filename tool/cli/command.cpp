// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include "../measure/suggest.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <random>
#include <system_error>

namespace linn::tool {

command::command(CLI::App& program, const char* name, const char* description, const std::string& footer)
    : app_{program.add_subcommand(name, description)} {
    app_->footer(footer);
    app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void command::say(std::string_view what) const {
    write_to_stderr(fmt::format("linn {}: {}\n", app_->get_name(), what));
}

void command::warn(std::string_view what) const {
    say(fmt::format("warning: {}", what));
}

int command::refuse(std::string_view problem, int status) const {
    say(problem);
    return status;
}

namespace {

constexpr std::string_view must_be = "must be ";

template <class Number>
std::string outside(std::string_view kind, Number least, Number most, const std::string& text) {
    if (const std::optional<Number> value = number_in<Number>(text);
        value && *value >= least && *value <= most) {
        return {};
    }
    return fmt::format("{}a {} from {} to {}, not '{}'", must_be, kind, least, most, text);
}

} // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    return {[least, most](const std::string& text) { return outside("whole number", least, most, text); },
            ""};
}

CLI::Validator number(double least, double most) {
    return {[least, most](const std::string& text) { return outside("number", least, most, text); }, ""};
}

CLI::Validator writable_file(bool may_be_stdout) {
    return {[may_be_stdout](const std::string& text) {
                if (may_be_stdout && text == "-") {
                    return std::string{};
                }
                return text.starts_with('-') // the next option, where the file was forgotten
                           ? fmt::format("{}the name of a file, not '{}'; a file called so is './{}'",
                                         must_be, text, text)
                           : why_not_writable(text);
            },
            ""};
}

CLI::Validator existing_folder() {
    return {[](const std::string& text) {
                std::error_code error;
                return std::filesystem::is_directory(text, error)
                           ? std::string{}
                           : fmt::format("{}a folder; '{}' is none", must_be, text);
            },
            ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
    return {[words = std::move(words)](const std::string& text) {
                return contains(words, text)
                           ? std::string{}
                           : fmt::format("{}one of {}, not '{}'{}", must_be, fmt::join(words, ", "), text,
                                         did_you_mean(text, words));
            },
            ""};
}

CLI::Option* add_words(CLI::App& app, const char* names, std::vector<std::string>& into, const char* called,
                       const std::string& help) {
    CLI::Option* const option = app.add_option(names, into, help)->type_name(called);
    return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
}

CLI::Option* add_names(CLI::App& app, const char* names, std::vector<std::string>& into,
                       const std::string& help) {
    return add_words(app, names, into, "NAMES", help)->delimiter(',');
}

void add_symbol_options(CLI::App& app, std::vector<std::string>& folders, bool& use_debuginfod) {
    add_words(app, "--debug-dir", folders, "FOLDER",
              "also look here for debug information, before /usr/lib/debug; may be repeated")
        ->check(existing_folder());
    app.add_flag("--debuginfod", use_debuginfod, "fetch missing debug information from DEBUGINFOD_URLS");
}

std::string missing_argument(const CLI::App& app, std::string_view name) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional() && option->get_type_name() == "FILE" && !option->results().empty() &&
            option->results().back() != "-") {
            return fmt::format("missing {}; '{}' is the FILE of {}, where - is standard output", name,
                               option->results().back(), option->get_name());
        }
    }
    return fmt::format("missing {}", name);
}

void add_seed(CLI::App& app, std::uint64_t& seed) {
    seed = std::random_device{}();
    add_value(app, "--seed", seed, "NUMBER", "seed of the order of the rounds (default random, printed)",
              whole_number(0, std::numeric_limits<std::uint64_t>::max()));
}

std::vector<std::string> program_words(const CLI::App& app) {
    std::vector<std::string> words = app.remaining();
    if (!words.empty() && words.front() == separator_word) {
        words.erase(words.begin());
    } else if (const auto mark = std::ranges::find(words, separator_word); mark != words.end()) {
        *mark = "--"; // the program's own
    }
    if (words.empty()) {
        throw wrong_arguments{
            fmt::format("missing program: linn {} [options] -- PROG ARGS...", app.get_name())};
    }
    if (words.front().empty()) {
        throw wrong_arguments{"the program's name is empty"};
    }
    return words;
}

} // namespace linn::tool
