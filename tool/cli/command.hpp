// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

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
    explicit command(CLI::App& app) noexcept : app_{&app} {}
    command(const command&) = delete;
    command& operator=(const command&) = delete;
    virtual ~command() = default;

    /// Does what the command says, after parsing; returns the exit status.
    virtual int run() = 0;

    /// Says something on standard error, after the name of the command.
    void say(std::string_view what) const;

    /// Likewise for a result that may surprise the user; changes no exit status.
    void warn(std::string_view what) const;

    /// Likewise for an error; returns `status`.
    int refuse(std::string_view problem, int status = exit_failure) const;

    /// Likewise for wrong arguments, with the help page to read; returns `exit_usage`.
    int refuse_arguments(std::string_view problem) const;

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
std::unique_ptr<command> make_completion(CLI::App& program);
std::unique_ptr<command> make_man(CLI::App& program);

// One of two files holds both: commands.cpp, or measuring/commands.cpp in the build of `make bench`.

/// The commands of this build, in the order of the help text.
std::span<const make_command> command_table() noexcept;

/// Whether this build has all commands.
bool is_whole_build() noexcept;

} // namespace linn::tool
