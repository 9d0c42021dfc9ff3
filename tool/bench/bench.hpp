// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/statistics.hpp"
#include "scenario.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What the user asked of `linn bench`.
struct bench_options {
    std::vector<std::string> scenarios; ///< empty: the headline, or all
    bool all = false;                   ///< all scenarios that are in no group
    std::vector<std::string> only;      ///< empty: all contenders
    user_allocators allocators;
    bool full = false; ///< or quick: what stands behind it is in the members below
    std::string container = "unordered_set";
    std::size_t work = 100;       ///< percent of the usual operations
    std::size_t rounds = 10;      ///< at most
    double budget_s = 0;          ///< no round is started that would end later than this; 0: none
    std::size_t least_rounds = 2; ///< regardless of the budget
    std::size_t warm_up_rounds = 1;
    std::uint64_t seed = 0;
    std::string cpu = "auto";
    std::chrono::seconds timeout{120}; ///< for one process
};

/// One successful process: the sample of a round.
struct sample {
    std::vector<double> cycles; ///< by phase, an operation; 0: the variant has no such phase
    std::vector<double> faults; ///< by phase, an operation
    double canary = 0;          ///< ticks a step, the slower one of before and after
    double cpu_share = 1;       ///< CPU time by wall time of the measured part
    std::uint64_t peak_rss_bytes = 0;
    std::size_t work_check = 0;
    std::vector<std::map<std::string, double>> metrics = {}; ///< by phase; what a scenario adds
};

/// A time an operation, in one unit.
struct timing {
    interval median;
    double minimum = 0;
};

/// What the samples of a row say of one phase.
struct phase_figures {
    timing cycles;
    timing ns;
    double faults = 0;                     ///< median
    std::optional<double> ratio;           ///< to the baseline's median
    std::map<std::string, double> metrics; ///< medians
};

/// Everything measured for one contender in one variant of a scenario.
struct row {
    std::size_t contender = 0; ///< index into `bench_result::contenders`
    std::vector<sample> samples = {};
    unsigned repeated = 0;   ///< samples thrown away because the machine was disturbed
    unsigned disturbed = 0;  ///< samples kept although disturbed, after too many repetitions
    std::size_t variant = 0; ///< index into the scenario's variants

    // Filled in by `judge`.
    std::vector<std::optional<phase_figures>> phases = {}; ///< nothing where the variant has no such phase
    double peak_rss_bytes = 0;                             ///< median
    double ratio = 0;                                      ///< geometric mean of those of the phases; 0: none

    /// The samples of a phase, in ticks an operation.
    std::vector<double> cycles(std::size_t phase) const;
    /// The figures of a phase, or null. @pre `judge` has run
    const phase_figures* in(std::size_t phase) const noexcept {
        return phase < phases.size() && phases[phase] ? &*phases[phase] : nullptr;
    }
};

/// What a comparison of medians allows to say; nothing with fewer than `rounds_to_judge` rounds.
enum class outcome { not_judged, win, loss, tie };

/// The median of one row by that of another in one phase.
struct comparison {
    std::size_t phase = 0;
    std::size_t ours = 0;  ///< index into `scenario_result::rows`
    std::size_t other = 0; ///< likewise: the best of the rivals
    double speed_up = 0;   ///< the other's median by ours: above 1 ours is faster
    double uncertainty =
        0; ///< two standard errors of the speed-up, as a share of it; `unknown_bound`: too few rounds
    outcome says = outcome::not_judged;
};

/// What two equal things differ by in one phase, and what must be exceeded to be claimed.
struct phase_noise {
    std::optional<double> floor; ///< the gap between the two copies of the baseline; nothing without both
    double threshold = 0;        ///< the smallest gap that counts as a difference
};

/// All rows of one scenario that have a sample.
struct scenario_result {
    const scenario* what = nullptr;
    std::vector<row> rows = {};

    // Filled in by `judge`.
    std::vector<phase_noise> noise = {};                   ///< by phase
    std::vector<std::vector<comparison>> comparisons = {}; ///< by the scenario's comparisons, then by phase
    std::size_t least_rounds = 0;                          ///< of a row
    std::size_t most_rounds = 0;
    std::size_t samples = 0; ///< of all rows, as what follows
    unsigned repeated = 0;
    unsigned disturbed = 0;

    /// The row of the contender named so, or null.
    const row* find(const std::vector<contender>& contenders, std::string_view name,
                    std::string_view variant) const;
    const variant_info& variant_of(const row& r) const noexcept { return what->variants[r.variant]; }
};

/// One test of the headline: Linn and the best of the others.
struct headline_test {
    const phase_info* what = nullptr;
    double ours_ns = 0;
    double other_ns = 0;
    std::string other; ///< the title of the best other contender
    double speed_up = 0;
    outcome says = outcome::not_judged;

    /// "1.8 x faster", "1.6 x SLOWER", "tie", "no zero fill"; "-" where nothing is judged.
    std::string result() const;
};

/// A general allocator over all tests.
struct ranked_allocator {
    std::string title;
    double speed = 1; ///< glibc's time by its, the geometric mean: above 1 it is faster
};

/// What the scenario `headline` says. Every sentence, the table and the plot that show it are made of this.
struct headline_result {
    std::vector<headline_test> tests;
    std::size_t wins = 0;
    std::size_t losses = 0;
    std::size_t ties = 0;
    std::vector<ranked_allocator>
        ranking; ///< fastest first, glibc among them; without glibc's second copy and its settings
    std::vector<std::string> unmeasured; ///< names of general allocators that are not here or failed

    std::vector<std::string> verdict; ///< three sentences at most, each fit for a line of 100 characters
    bool is_trusted = false;
    std::string trust; ///< "good: 8 rounds, ..." or "LOW. The machine was busy: ..."
};

/// What a reader should take away.
struct bench_findings {
    /// Never empty: the verdict of the headline where that was measured, then a paragraph on each other scenario, which begins with
    /// its name.
    std::vector<std::string> list{"Nothing was measured."};
    std::optional<headline_result> headline; ///< where it was measured
    std::string reliability; ///< how far to trust the headline, or that the machine was busy; may be empty

    /// All of it, `reliability` last.
    std::vector<std::string> sentences() const;
};

/// The whole run.
struct bench_result {
    bench_options options;
    machine_info machine;
    std::string started; ///< ISO 8601, UTC
    double seconds = 0;
    std::vector<contender> contenders;
    std::vector<left_out_contender> missing;
    std::vector<scenario_result> scenarios;
    std::size_t complete_rounds = 0;
    int interrupted_by = 0; ///< a signal number; 0: ran to its end
    bench_findings said;    ///< filled in by `judge`

    bool complete() const noexcept { return interrupted_by == 0; }
    /// True when the budget ended the run before its rounds did.
    bool budget_spent() const noexcept { return complete() && complete_rounds < options.rounds; }
    /// "linn::make_shared", or "std::make_shared on tcmalloc".
    std::string title_of(const scenario_result& s, const row& r) const;
    /// What a column shows of a row, in the unit of the column; nothing where it was not measured.
    /// @pre `judge` has run
    std::optional<double> shown(const row& r, const column_info& c) const;
};

/// "A million random integers in a std::map<int>; ns an operation": what the figures of a scenario are.
std::string heading_of(const bench_options& options, const scenario& s);

/// A smaller difference than this is never called one, however quiet the two copies of the baseline happened to be.
inline constexpr double least_claim = 0.02;

/// Fills in what the samples say: medians with their 95 % intervals, ratios, noise, and who wins. The only place
/// that computes any of it: sentences, tables, plots and files show what stands there. With fewer than `rounds_to_judge`
/// rounds there is no interval, no win and no loss.
void judge(bench_result& result);

/// "win", "loss", "tie", "not judged".
const char* to_string(outcome o) noexcept;

/// "differences smaller than max(noise floor, 2 %, 2 standard errors) count as ties".
std::string tie_rule();

/// Why nothing of the result is judged, as a sentence; empty where something can be. @pre something was measured
std::string why_not_judged(const bench_result& result);
/// Likewise for a result of `rounds` rounds.
std::string why_not_judged(const bench_result& result, std::size_t rounds);

/// The findings on scenarios that Linn wins and on those that it loses. Nothing is claimed that `judge` does not. @pre `judge` has run
bench_findings findings(const bench_result& result);

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
                                          std::vector<left_out_contender>& missing,
                                          const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick);

} // namespace linn::tool
