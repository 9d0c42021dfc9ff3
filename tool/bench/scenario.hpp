// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The scenario that is measured unless names are given. Its result is what a person in a hurry reads.
inline constexpr std::string_view headline_name = "headline";

/// A remark for a scenario whose objects are touched only around their allocation and deallocation.
inline constexpr std::string_view nothing_walks =
    "Nothing walks over the objects while they live, so their order in memory hardly counts: linn bench "
    "reuse measures that.";

/// One timed phase of a scenario.
struct phase_info {
    std::string name;  ///< stable, used in JSON
    std::string title; ///< column heading, and the words of the summary

    // Where phases do the same for blocks of different sizes, so that together they make a curve.
    std::size_t bytes = 0; ///< of a block; 0: the phase is no point of a curve
    unsigned threads = 1;  ///< points of one curve agree in this

    std::string_view saves =
        {}; ///< what Linn does without there, so that the ratio says little: "no zero fill"
};

/// One way of doing a scenario's work, such as `make_shared` in shared-ptr.
struct variant_info {
    std::string_view name; ///< stable, used in JSON; the worker's name for it
    std::string_view title;
    std::string_view contender =
        {}; ///< the pool that it uses; empty: it uses the general allocator, so it runs on each
    std::string_view note = {}; ///< what it is, where the title does not say it
};

/// What a column shows.
enum class figure {
    time,   ///< nanoseconds an operation, times `factor`
    rate,   ///< operations a second, times `factor`
    faults, ///< minor page faults an operation
    metric, ///< the share that the worker reports under the name `metric`
    memory, ///< the bytes that it reports under the name `metric`, times `factor`
};

/// One column of a table.
struct column_info {
    std::string group; ///< heading over neighbours that share it
    std::string_view title;
    std::size_t phase;
    figure shows = figure::time;
    double factor = 1;
    std::string_view metric = {};
    unsigned droppable = 0; ///< as in `report::column`
    int decimals = 4;       ///< after the point, at most
};

/// What the summary compares: Linn's way of doing the work against others' ways, each on its best allocator.
struct comparison_info {
    std::string_view ours; ///< a variant
    std::vector<std::string_view> rivals;
    std::string_view rivals_title; ///< after "beats"
};

/// Linn's way against `new` and `delete`.
inline comparison_info against_new(std::string_view ours, std::string_view rivals_title = "new and delete") {
    return {ours, {"new_delete"}, rivals_title};
}

/// Ways of doing the same work, on the allocators that each of them uses.
struct scenario {
    std::string_view name;
    std::string_view summary;   ///< one line for the help text
    std::string_view operation; ///< what one figure counts: "operation", "pair"
    std::string_view heading;   ///< what a figure is, above the table; {container} is that option
    std::string_view baseline;  ///< the variant whose second copy on glibc is the noise floor
    std::vector<variant_info> variants;
    std::vector<comparison_info> comparisons = {};
    std::vector<std::string_view> remarks = {}; ///< what a reader must know, below the table
    std::vector<phase_info> phases = {};
    std::vector<column_info> columns = {};
    std::string_view worker = "linn-bench-worker"; ///< the companion program that does the work
    /// A name for several scenarios, which are measured only where it or they are named.
    std::string_view group = {};

    /// True when its columns show memory, each phase its own.
    bool shows_memory() const noexcept {
        return std::ranges::find(columns, figure::memory, &column_info::shows) != columns.end();
    }
    /// True when its phases are points of curves over the size of a block.
    bool has_curves() const noexcept { return !phases.empty() && phases.front().bytes != 0; }
};

/// A name for several scenarios.
struct scenario_group {
    std::string_view name;
    std::string_view summary;
    std::vector<scenario> (*scenarios)();
};

/// Every group, in the order of the help text.
std::span<const scenario_group> scenario_groups() noexcept;

/// Every scenario, in the order of the help text.
std::span<const scenario> scenarios() noexcept;

/// A part of the name, of the title and of the column of a phase.
struct phase_part {
    std::string_view name; ///< empty: the phase has the name of the other part
    std::string_view title;
    unsigned droppable = 0;
};

/// The scenario with a phase for every step in every group, and a column of nanoseconds, times `factor`, for each.
scenario on_grid(scenario s, const std::vector<phase_part>& groups, const std::vector<phase_part>& steps,
                 double factor = 1);

/// With how many threads the programs of the group threads run: 1, 2, 4 … up to twice the CPUs.
inline std::vector<unsigned> thread_counts(unsigned cpus) {
    std::vector<unsigned> counts;
    for (unsigned n = 1; n <= 2 * cpus; n *= 2) {
        counts.push_back(n);
    }
    return counts;
}

// To add a scenario, add the function that makes it to the list in scenario.cpp, or to a group in scenario_groups.cpp.
scenario pmr_blocks_scenario(); // one of the targets
std::vector<scenario> threads_scenarios();
std::vector<scenario> targets_scenarios();

} // namespace linn::tool
