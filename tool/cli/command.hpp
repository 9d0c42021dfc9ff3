// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../measure/files.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What the tool tells its caller. A run stopped by a signal exits with 128 + its number, as shells expect.
enum exit_code : int {
    exit_success = 0,
    exit_failure = 1, ///< it was asked something sensible and could not do it
    exit_usage = 2,   ///< it was asked something it does not understand
};

/// Stands for the first "--" in the arguments of a command that takes a program, because the parser would swallow it.
inline constexpr const char* separator_word = "\x1f--";

/// One command of the program. Its constructor adds the command and its options to the program's arguments.
class command {
public:
    /// Of an option that is given several times the last one counts, so that a user may overrule what an alias or a script says.
    command(CLI::App& program, const char* name, const char* description, const std::string& footer);
    command(const command&) = delete;
    command& operator=(const command&) = delete;
    virtual ~command() = default;

    /// Does what the command says, after parsing. Returns the exit status.
    /// @throws wrong_arguments and its kin, which are said on standard error
    virtual int run() = 0;

    /// Says something on standard error, after the name of the command.
    void say(std::string_view what) const;

    /// Likewise for a result that may surprise the user; changes no exit status.
    void warn(std::string_view what) const;

    /// Likewise for an error; returns `status`.
    int refuse(std::string_view problem, int status = exit_failure) const;

    /// The command among the program's arguments.
    CLI::App& app() const noexcept { return *app_; }

private:
    CLI::App* app_;
};

/// Makes a command, which adds itself to the program's arguments.
using make_command = std::unique_ptr<command> (*)(CLI::App& program);

// Each is in the file of its command.
std::unique_ptr<command> make_bench(CLI::App& program);
std::unique_ptr<command> make_compare(CLI::App& program);
std::unique_ptr<command> make_run(CLI::App& program);
std::unique_ptr<command> make_record(CLI::App& program);
std::unique_ptr<command> make_trace(CLI::App& program);
std::unique_ptr<command> make_check(CLI::App& program);
std::unique_ptr<command> make_advise(CLI::App& program);
std::unique_ptr<command> make_try(CLI::App& program);
std::unique_ptr<command> make_pools(CLI::App& program);
std::unique_ptr<command> make_lint(CLI::App& program);
std::unique_ptr<command> make_allocators(CLI::App& program);

/// The number that is all of the text; nothing where it is none.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end ? std::optional{value} : std::nullopt;
}

/// What the value of an option must be. They have no description: the value's name says enough in the help.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
CLI::Validator number(double least, double most);
CLI::Validator one_of(std::vector<std::string> words);

/// Adds an option that takes a value. `called` is the value's name in the help: "COUNT".
template <class Value>
CLI::Option* add_value(CLI::App& app, const char* names, Value& into, const char* called,
                       const std::string& help) {
    return app.add_option(names, into, help)->type_name(called);
}

/// Likewise for a value that must be something.
template <class Value>
CLI::Option* add_value(CLI::App& app, const char* names, Value& into, const char* called,
                       const std::string& help, const CLI::Validator& must_be) {
    return add_value(app, names, into, called, help)->check(must_be);
}

/// Likewise for one of these words, which are the enumerators in their order.
template <class Enum, class Into>
CLI::Option* add_choice(CLI::App& app, const char* names, Into& into, const char* called,
                        const std::string& help, const std::vector<std::string>& words) {
    const auto choose = [&into, words](const std::string& word) {
        into = static_cast<Enum>(std::ranges::find(words, word) - words.begin());
    };
    return app.add_option_function<std::string>(names, choose, help)->type_name(called)->check(one_of(words));
}

/// A file that can be written, as far as that can be told before the work starts; "-" is standard output only where that may be.
inline constexpr bool or_stdout = true;
CLI::Validator writable_file(bool may_be_stdout = false);

/// A folder that is there.
CLI::Validator existing_folder();

/// Adds an option that may be repeated. Every use counts, each with one word: the next word is the command's.
CLI::Option* add_words(CLI::App& app, const char* names, std::vector<std::string>& into, const char* called,
                       const std::string& help);

/// Likewise for names with commas between them.
CLI::Option* add_names(CLI::App& app, const char* names, std::vector<std::string>& into,
                       const std::string& help);

/// Adds --debug-dir and --debuginfod, which say where debug information is, in the group that new options have.
void add_symbol_options(CLI::App& app, std::vector<std::string>& folders, bool& use_debuginfod);

/// "missing TRACE; 'shop.linn' is the FILE of --json, where - is standard output": an option may have taken what is missed.
std::string missing_argument(const CLI::App& app, std::string_view name);

/// Adds --seed, the seed of the order of the rounds.
void add_seed(CLI::App& app, std::uint64_t& seed);

/// The program and its arguments, which stand behind a command's options, with or without "--" before them.
/// @throws wrong_arguments where there is no program
std::vector<std::string> program_words(const CLI::App& app);

} // namespace linn::tool
