// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../measure/progress.hpp"
#include "results.hpp"

#include <functional>

namespace linn::tool {

/// Measures everything that `options` ask for: proves each contender, then runs the plan, one process a cell.
/// Returns early, with what is complete, when `guard` has a signal pending. `report` is called a few times a second.
bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const work_progress&)>& report);

} // namespace linn::tool
