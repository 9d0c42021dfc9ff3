// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../pools/launch.hpp"
#include "command.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The command `pools`: checks a plan and a program, and becomes that program with the plan's pools.
class pools_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit pools_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    void tell_plan() const;
    bool has_compiled_plan() const;

    pool_settings settings_;
    std::string plan_file_;
    std::string compiled_file_;
    std::string statistics_;
    pool_plan plan_;
    std::vector<std::string> words_; // the program and what belongs to it
};

} // namespace linn::tool
