// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt.hpp"
#include "results.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace linn::tool {

/// Where a run stands, for a progress line.
struct run_progress {
    std::size_t done = 0;
    std::size_t total = 0;
    unsigned repeated = 0;
    std::string doing;
};

/// Measures everything that `options` ask for: proves each contender, then runs the plan, one process a cell.
/// Returns early, with what is complete, when `guard` has a signal pending. `report` is called a few times a second.
bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const run_progress&)>& report);

} // namespace linn::tool
