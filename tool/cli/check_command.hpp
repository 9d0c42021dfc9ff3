// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../check/check.hpp"
#include "../record/recorder.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "symbol_source.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// `linn check`: whether a recorded program keeps its budgets.
class check_command final : public command {
public:
    explicit check_command(CLI::App& program);

    /// 0: all are kept; 1: one is broken, or the recording is not whole; 2: the files or arguments are wrong. A program that was
    /// recorded and failed: its own status.
    int run() override;

private:
    std::string check();
    int check_program();
    int check_trace(const std::string& trace);
    std::string tell() const;

    std::string budget_file_;
    std::string trace_;
    std::string output_;
    bool is_quiet_ = false;
    bool is_not_followed_ = false;
    std::vector<budget> budgets_;
    std::vector<std::string> words_; ///< the program and what belongs to it; empty: a trace was given
    record_options recording_;
    symbol_source source_{app()};
    check_result result_;
    report_files files_;
};

} // namespace linn::tool
