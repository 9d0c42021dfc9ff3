// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../report/progress.hpp"
#include "../run/results.hpp"
#include "../run/scan.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The verb `run`: its options, their checks and what it does.
class run_command final : public command {
public:
    /// Adds the verb to the program's arguments.
    explicit run_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    std::string check_allocators();
    std::string check_scans();
    bool is_scan() const noexcept { return !parameters_.empty(); }
    report::document document() const;
    run_result measure(const run_options& options, const std::vector<std::string>& words,
                       const interrupt_guard& guard, progress_line& line) const;
    void scan(const interrupt_guard& guard, progress_line& line);
    int deliver() const;
    int deliver(bool has_something, const std::string& problem, bool is_usage_error,
                int interrupted_by) const;

    report_files files_;
    run_options options_;
    run_arguments measuring_{verb(), options_};
    run_result result_;
    scan_result scan_; // in place of result_, with --scan
    std::vector<scan_parameter> parameters_;
    std::vector<std::string> scans_;      // NAME=VALUES, unparsed
    std::vector<std::string> words_;      // the program and what belongs to it
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::vector<std::string> only_;       // names, commas between them
};

} // namespace linn::tool
