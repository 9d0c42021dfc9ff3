// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

#include <memory>
#include <span>

namespace linn::tool {

/// Makes a command, which adds itself to the program's arguments.
using make_command = std::unique_ptr<command> (*)(CLI::App& program);

template <class Command>
std::unique_ptr<command> make(CLI::App& program) {
    return std::make_unique<Command>(program);
}

// One of two files holds both: commands.cpp, or measuring/commands.cpp in the build of `make bench`.

/// The commands of this build, in the order of the help text.
std::span<const make_command> command_table() noexcept;

/// Whether this build has all commands.
bool is_whole_build() noexcept;

} // namespace linn::tool
