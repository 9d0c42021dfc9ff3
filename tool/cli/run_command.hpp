// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../report/progress.hpp"
#include "../run/results.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The command `run`: its options, their checks and what it does.
class run_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit run_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    std::string check_allocators();
    run_result measure(const interrupt_guard& guard, progress_line& line) const;
    int deliver() const;

    report_files files_;
    run_options options_;
    run_arguments measuring_{app(), options_};
    run_result result_;
    std::vector<std::string> words_;      // the program and what belongs to it
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::vector<std::string> only_;       // names, commas between them
};

} // namespace linn::tool
