// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"
#include "command_help.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// `linn completion SHELL`.
class completion_command final : public command {
public:
    explicit completion_command(CLI::App& program);
    int run() override;

private:
    CLI::App& program_;
    std::string shell_;
};

/// `linn man [COMMAND]`; with --into all pages and completions, in the folders below share/ where programs look for them.
class man_command final : public command {
public:
    explicit man_command(CLI::App& program);
    int run() override;

private:
    int write_all(const std::vector<command_help>& commands) const;

    CLI::App& program_;
    std::string command_name_;
    std::string folder_;
};

} // namespace linn::tool
