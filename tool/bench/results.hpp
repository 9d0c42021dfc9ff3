// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/machine.hpp"
#include "contenders.hpp"
#include "scenario.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What the user asked of `linn bench`.
struct bench_options {
    std::vector<std::string> scenarios; ///< empty: all
    std::vector<std::string> only;      ///< empty: all contenders
    user_allocators allocators;
    bool full = false; ///< or quick: what stands behind it is in the members below
    std::string container = "unordered_set";
    std::size_t n = 1'000'000;
    std::size_t objects = 100'000;
    std::size_t object_bytes = 64;
    std::size_t work = 100;       ///< percent of the usual operations in the scenarios with variants
    std::size_t rounds = 10;      ///< at most
    double budget_s = 0;          ///< no round is started that would end later than this; 0: none
    std::size_t least_rounds = 2; ///< whatever the budget says
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
    int cpu = -1;
    std::vector<std::map<std::string, double>> metrics = {}; ///< by phase; what a scenario adds
};

/// Everything measured for one contender in one scenario, or in one variant of it.
struct row {
    std::size_t contender = 0; ///< index into `bench_result::contenders`
    std::vector<sample> samples;
    unsigned repeated = 0;   ///< samples thrown away because the machine was disturbed
    unsigned disturbed = 0;  ///< samples kept although disturbed, after too many repetitions
    std::size_t variant = 0; ///< index into the scenario's variants, where it has any

    std::vector<double> cycles(std::size_t phase) const;
    std::vector<double> faults(std::size_t phase) const;
    double peak_rss_bytes() const; ///< median
    bool has(std::size_t phase) const;
    /// Median of a metric, or nothing where it is not reported.
    std::optional<double> metric(std::size_t phase, std::string_view name) const;
};

/// All rows of one scenario that have a sample.
struct scenario_result {
    const scenario* what = nullptr;
    std::vector<row> rows;

    /// The row of the contender named so, or null. `variant` is needed in scenarios that have some.
    const row* find(const std::vector<contender>& contenders, std::string_view name,
                    std::string_view variant = {}) const;
    /// The name of the row's variant; empty in scenarios without.
    std::string_view variant_of(const row& r) const noexcept;
};

/// The whole run.
struct bench_result {
    bench_options options;
    machine_info machine;
    std::string started; ///< ISO 8601, UTC
    double seconds = 0;
    std::vector<contender> contenders;
    std::vector<left_out> missing;
    std::vector<scenario_result> scenarios;
    std::size_t complete_rounds = 0;
    int interrupted_by = 0; ///< a signal number; 0: ran to its end

    bool complete() const noexcept { return interrupted_by == 0; }
    /// True when the budget ended the run before its rounds did.
    bool budget_spent() const noexcept { return complete() && complete_rounds < options.rounds; }
    /// "tcmalloc", or "std::make_shared on tcmalloc" where the scenario has variants.
    std::string title_of(const scenario_result& s, const row& r) const;
};

/// The gap between the two copies of the baseline in `phase`, or nothing without both.
std::optional<double> noise_floor(const bench_result& result, const scenario_result& s, std::size_t phase);

/// The geometric mean over the phases of this row's median by the baseline's; 0 without a baseline.
double ratio_to_baseline(const bench_result& result, const scenario_result& s, const row& r);

/// What Linn's median is beside the best other contender's in one phase.
struct comparison {
    const row* best_other = nullptr; ///< a row of the scenario
    double speed_up = 0;             ///< best other's median by Linn's: above 1 Linn is faster
    double uncertainty =
        0; ///< two standard errors of the speed-up, as a share of it; `unknown_bound`: of too few
    std::size_t rounds = 0; ///< of the row that has fewer
};

/// One row beside another in `phase`. @pre both have it
comparison compare_rows(const row& ours, const row& other, std::size_t phase);

/// Linn against the best other contender in `phase`, or nothing when one of them is missing.
std::optional<comparison> compare_linn(const bench_result& result, const scenario_result& s,
                                       std::size_t phase);

/// The same for one way of Linn's against the ways named.
std::optional<comparison> compare(const bench_result& result, const scenario_result& s,
                                  const comparison_info& c, std::size_t phase);

} // namespace linn::tool
