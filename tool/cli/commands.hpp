// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

#include <memory>
#include <span>

namespace linn::tool {

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
