// SPDX-License-Identifier: Apache-2.0
#include "command_help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace linn::tool {
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
    std::sort(excluded.begin(), excluded.end()); // the parser's set is ordered by address
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
