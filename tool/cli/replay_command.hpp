// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/agreement.hpp"
#include "../replay/results.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The verb `replay`: its options, their checks and what it does.
class replay_command final : public command {
public:
    /// Adds the verb to the program's arguments.
    explicit replay_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    std::string check_allocators();
    std::string read_measured_run();
    bool find_types(const interrupt_guard& guard);
    int deliver();

    report_files files_;
    replay_options options_;
    replay_result result_;
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::vector<std::string> only_;       // names, commas between them
    std::vector<std::string> debug_folders_;
    std::vector<measured_contender> measured_;
    std::string trace_;
    std::string seed_;
    std::string touch_ = "lines";
    std::string against_;
    double measured_floor_ = 0;
    unsigned budget_ = 60;
    unsigned rounds_ = 7;
    unsigned most_types_ = 10;
    bool prices_types_ = false;
};

} // namespace linn::tool
