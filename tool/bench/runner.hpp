// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"
#include "../measure/interrupt.hpp"
#include "results.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

/// The scenarios that `options` ask for, in the order of the help text.
std::vector<const scenario*> selected_scenarios(const bench_options& options);

/// Measures everything that `options` ask for: proves each contender, then runs the plan, one process a cell.
/// Returns early, with what is complete, when `guard` has a signal pending. `report` is called a few times a second.
bench_result run_bench(const bench_options& options, const interrupt_guard& guard,
                       const std::function<void(const work_progress&)>& report);

/// The answer of one worker process.
struct worker_reply {
    bool is_interrupted = false;
    std::string problem; ///< why its figures must not be used; empty when they may
    provider_proof proof;
    sample measured;
    std::string compiler;
    std::string build;
};

/// What a worker wrote as JSON. It is a problem where something is missing, or it has other phases than these.
worker_reply read_reply(const std::string& text, std::span<const phase_info> phases);

/// The names that `--only` accepts.
std::vector<std::string> bench_names(const user_allocators& extra);

/// Every contender whose library is there and proves to work; the others go to `missing`. A name in `extra` replaces
/// the catalogue's entry. An empty `only` means all; the baseline and its copy always take part. `tick` is called with
/// the title of each library that is tried.
std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick);

} // namespace linn::tool
