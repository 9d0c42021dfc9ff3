// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_help.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool {

/// The help of one command, no line of it wider than `width` but for words that are. `all` are the commands, the program first.
std::string help_text(const command_help& cmd, const std::vector<command_help>& all, std::size_t width);

/// Writes the help of a program and its commands, as wide as the terminal and at most 100 columns wide.
class help_page final : public CLI::FormatterBase {
public:
    explicit help_page(CLI::App& program) : program_{&program} {}
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

private:
    CLI::App* program_;
};

} // namespace linn::tool
