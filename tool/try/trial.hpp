// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../run/runner.hpp"
#include "arms.hpp"
#include "candidates.hpp"
#include "variants.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The whole of `linn try`.
struct try_result {
    std::string trace; ///< file; empty: the program was recorded for this
    try_candidates candidates;
    std::vector<std::uint64_t>
        hits; ///< one for each candidate: allocations that their pools served in a run that counted; empty: not known
    run_result alone;    ///< plain, and each candidate alone; without rows where there is one only
    run_result together; ///< plain, the chosen together, what explains their gain, and allocators
    run_result
        further; ///< plain, variants, the best of these allocators, the chosen in front; may have no rows
    double further_budget = 0;  ///< seconds that would have had room for all of that; 0: they were enough
    double left_out_budget = 0; ///< the same of all allocators, and of the arms that explain, in `together`
    std::vector<try_variant> variants; ///< that `further` measured, besides the chosen as they are
    std::string plan_variant;          ///< the name of the variant that `plan` is; empty: none
    /// The name of the one that the verdict speaks of: it is certain to be better than the pools as they are; empty: these.
    std::string decisive_variant;
    std::vector<std::size_t> chosen; ///< indices of the candidates: those that gained, else all
    bool has_gained_alone = false;   ///< what `chosen` means: each of them gained alone
    pool_plan plan;                  ///< of the chosen; empty unless they save CPU time
    pool_answer answer = pool_answer::not_known;
    std::string verdict;
    std::vector<std::string> findings;
    std::vector<std::string> warnings;
    std::string problem;         ///< why nothing was measured; empty when something was
    bool is_usage_error = false; ///< of `problem`
    std::optional<int> status;   ///< of `problem`: the program failed, with this exit status
    int interrupted_by = 0;

    /// The share of a candidate's recorded allocations that its pools served, at most 1; empty where it is not known.
    std::optional<double> routed(std::size_t candidate) const;
    /// The estimate of CPU time of an arm, where there is one.
    const estimate* cpu_of(std::string_view arm) const;
    /// The row that the verdict speaks of; null: it was not measured.
    const run_row* decisive() const;
    /// The run that the verdict speaks of: that of variants, of all together, or what there is.
    const run_result& judged() const;
    /// The plain program, where its runs began on a littered heap; else null.
    const run_row* littered() const;
};

/// Measures the candidates on the program: `options` are those of a run, whose budget is for all rounds together.
/// Counts first what each would serve; a candidate that serves nothing is left out. Then, where there are several, each
/// alone; then those that gained, together, or all where none did; then, as far as the budget has room, variants of these
/// that the counts promise something of, and these in front of the best allocator, where one is better than plain.
try_result try_pools(const run_options& options, try_candidates candidates,
                     const std::vector<std::string>& command, const interrupt_guard& guard,
                     const run_progress& report, const run_notice& notice);

/// The allocator of the run that takes the least CPU time: of those that are certain to gain, where there are any, as one
/// slow run makes a tie of the lowest median. Null: none was measured, or the program goes wrong with all.
const run_row* best_allocator(const run_result& run);

/// Why an arm is not to be compared: it failed, or wrote something else than the plain program. Empty: it is.
std::string why_unsound(const run_row& row);

/// Writes what was measured into the result: the plan, the answer, the verdict in one sentence, findings and warnings.
/// @pre both runs are judged
void describe_try(try_result& result);

} // namespace linn::tool
