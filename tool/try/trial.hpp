// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/run.hpp"
#include "arms.hpp"
#include "judgement.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The whole of `linn try`.
struct try_result {
    std::string trace; ///< file; empty: the program was recorded for this
    try_candidates candidates;
    /// One for each candidate: allocations that their pools served in a run that counted; empty: not known.
    std::vector<std::uint64_t> hits;
    /// What the program did with the pools that were left out; empty: it worked with all.
    std::string why_broken;
    trial_plan decision;  ///< what the budget had room for
    run_result screening; ///< plain and all allocators, a few rounds; may have no rows
    run_result deciding;  ///< plain, all pools in each form, an empty plan, the best allocators
    /// Plain, the best form, parts of it, and it over the best allocator; may have no rows.
    run_result explaining;
    double explaining_seconds = 0; ///< of a budget that has room for all of that; 0: this one had
    std::vector<try_arm> arms;     ///< the forms of all pools together, of `deciding`
    std::vector<try_arm> parts;    ///< those of `explaining`, without the form that they vary
    try_judgement judged;
    pool_plan plan; ///< of the best of them; empty unless it certainly saves CPU time
    std::string plan_arm;
    std::string plan_mode = "on"; ///< in which `plan` was measured: `linn pools --mode`
    std::string problem;          ///< why nothing was measured; empty when something was
    bool is_usage_error = false;  ///< of `problem`
    std::optional<int> status;    ///< of `problem`: the program failed, with this exit status
    int interrupted_by = 0;

    /// The share of a candidate's recorded allocations that its pools served, at most 1; empty where it is not known.
    std::optional<double> routed(std::size_t candidate) const;
    /// Null: there is no such arm.
    const try_arm* find_arm(std::string_view name) const;
    /// The estimate of CPU time of an arm that decides or explains, where there is one.
    const estimate* cpu_of(std::string_view arm) const;
    /// The row that the verdict speaks of, and the run that it stands in. Null: it was not measured.
    const run_row* decisive() const;
    const run_result& decisive_run() const { return judged.is_of_better ? explaining : deciding; }
    /// The plain program, where its runs began on a littered heap; else null.
    const run_row* littered() const;
};

/// What a smaller budget than a decision needs will be able to say, as a sentence; empty: it is large enough.
std::string forecast_of(const trial_plan& plan);

/// Measures the candidates on the program: `options` are those of a run, whose budget is for everything together. Finds out with which
/// candidates the program works, and counts what each serves. Then all of these together decide: a pool for each type, a pool for each
/// size, and every block by size, next to the best allocators of a short screening. Rounds go on until the answer is clear or
/// the budget is spent. What is left of it explains: without each leading type, each alone, and all in front of the best
/// allocator. `warn` is given the forecast before anything is timed, if there is one.
try_result try_pools(const run_options& options, try_candidates candidates, const run_world& world,
                     const std::filesystem::path& library, const run_progress& report,
                     const run_notice& notice, const run_notice& warn);

/// Judges what was measured, and writes judgement and plan into the result. @pre the runs are judged
void judge_trial(try_result& result);

/// Why an arm is not to be compared: it failed, or wrote something else than the plain program. Empty: it is.
std::string why_unsound(const run_row& row);

} // namespace linn::tool
