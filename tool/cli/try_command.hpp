// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../pools/launch.hpp"
#include "../try/trial.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The command `try`: what pools gain on a program as it is.
class try_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit try_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    int record_and_measure(const interrupt_guard& guard);
    int measure(const std::string& trace, const interrupt_guard& guard);
    try_candidates candidates_of(const std::string& trace, const interrupt_guard& guard) const;
    int deliver() const;
    std::string write_plan() const;

    report_files files_;
    run_options options_;
    run_arguments measuring_{app(), options_, trial_defaults};
    candidate_options wanted_;
    try_result result_;
    std::vector<std::string> words_; // the program and what belongs to it
    served_program program_;         ///< that these start
    std::string trace_;
    std::string plan_file_;
};

} // namespace linn::tool
