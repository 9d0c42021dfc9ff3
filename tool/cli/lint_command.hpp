// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../lint/lint.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// The command `lint`: where do make_shared<T>() and its like write zeros for nothing?
class lint_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit lint_command(CLI::App& program);

    /// 0: nothing was found; 1: something was, or a file could not be checked; 2: nothing could be checked.
    int run() override;

private:
    std::string check_options_given();
    void apply();
    int exit_status() const;

    report_files files_;
    lint_result result_;
    lint_options options_;
    std::vector<std::string> checks_;
    std::string header_filter_;
    std::string exclude_;
    std::uint64_t error_from_ = 0;
    std::size_t top_ = 20;
    bool fix_ = false;
    bool fix_notes_ = false;
    bool no_fail_ = false;
};

} // namespace linn::tool
