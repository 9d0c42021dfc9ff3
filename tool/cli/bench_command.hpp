// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The command `bench`: its options, their checks and what it does.
class bench_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit bench_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    std::string check_scenarios() const;
    std::string choose_contenders();
    std::string check_pin();
    int deliver() const;

    report_files files_;
    bench_options options_;
    bench_result result_;
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::string seed_;
    std::vector<std::string> names_;   // of --only
    std::vector<std::string> general_; // of --allocators
    std::string pin_ = "auto";
    bool quick_ = false;     // says what holds anyway
    std::size_t rounds_ = 0; // the zeros: not given
    std::size_t work_ = 0;
    unsigned budget_ = 0;
    unsigned timeout_ = 120;
};

} // namespace linn::tool
