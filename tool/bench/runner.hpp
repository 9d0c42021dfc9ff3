// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../measure/progress.hpp"
#include "results.hpp"

#include <functional>
#include <vector>

namespace linn::tool {

/// The scenarios that `options` ask for, in the order of the help text.
std::vector<const scenario*> selected_scenarios(const bench_options& options);

/// Measures everything that `options` ask for: proves each contender, then runs the plan, one process a cell.
/// Returns early, with what is complete, when `guard` has a signal pending. `report` is called a few times a second, and
/// `after_round`, where there is one, with what is known after each round: rows and samples, not judged.
bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const work_progress&)>& report,
                       const std::function<void(bench_result)>& after_round = {});

} // namespace linn::tool
