// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/fills.hpp"
#include "../record/recorder.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The command `record`: runs a program and writes what it allocates to a trace.
class record_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit record_command(CLI::App& program);

    /// What the program returned, or 128 and the signal's number; 1 and 2 also where the recording failed.
    int run() override;

private:
    std::string check();
    std::string check_program();
    std::string check_process();
    void tell(const record_result& result) const;
    std::string tell_fills();
    std::string read_fills();

    record_options options_;
    std::vector<std::string> words_;
    std::string file_;
    bool is_live_ = false;
    bool is_quiet_ = false;
    bool is_not_followed_ = false;
    bool is_not_calibrated_ = false;
    bool has_baseline_ = false;
    bool has_no_baseline_ = false;
    fill_report fills_;
    trace_info fills_info_;
    report_files files_;
};

} // namespace linn::tool
