// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../bench/results.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The verb `bench`: its options, their checks and what it does.
class bench_command final : public command {
public:
    /// Adds the verb to the program's arguments.
    explicit bench_command(CLI::App& program);

    int run() override;

private:
    std::string check();
    std::string check_scenarios() const;
    std::string check_contenders() const;
    int deliver() const;

    report_files files_;
    bench_options options_;
    bench_result result_;
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::string seed_;
    std::string cpu_;
    bool quick_ = false;
    bool not_pinned_ = false;
    std::size_t rounds_ = 0;
    unsigned timeout_ = 120;
};

} // namespace linn::tool
