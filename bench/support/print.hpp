// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/results.hpp"
#include "workload.hpp"

#include <string>
#include <vector>

namespace linn::bench {

/// A run as a report describes it.
struct run_summary {
    const workload& what;
    const results& measured;
    const tool::machine_info& machine;
    std::size_t rounds;
    std::vector<verdict> verdicts;
};

/// Tables of minimum and median, notes, rows left out, targets: on standard output.
void print_report(const run_summary& s);

/// The same as JSON, every sample included.
std::string json_report(const run_summary& s);

} // namespace linn::bench
