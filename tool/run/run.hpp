// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"
#include "../experiment/rounds.hpp"
#include "../measure/machine.hpp"
#include "../measure/quantity.hpp"
#include "launch.hpp"

#include <optional>
#include <span>

namespace linn::tool {

/// What is measured of every run. Less is better for all of them.
struct metric_info {
    std::string_view name; ///< a key of `observation::values`, or "cpu_ns", which is user and system together
    std::string_view title;
    figures::unit unit; ///< nanoseconds, bytes or count
    bool is_compared;   ///< has an estimate, a test and a verdict; the others are in the JSON and CSV only
};

/// Wall time first: it is the one that the verdict speaks of, unless it is too noisy.
std::span<const metric_info> metrics() noexcept;
/// @pre there is one of that name
const metric_info& metric_named(std::string_view name) noexcept;

/// The two that a verdict may speak of.
inline constexpr const char* wall_metric = "wall_ns";
inline constexpr const char* cpu_metric = "cpu_ns";

/// One way to run the program: "default", "default-again", "glibc-no-trim", "jemalloc" …
struct run_contender : contender {
    /// Preloaded behind it: `library` passes on what it does not serve; empty: nothing.
    std::filesystem::path behind = {};
    std::string runtime = {}; ///< the C++ runtime preloaded before it, as the loader finds it; empty: none
    std::map<std::string, std::string> providers = {}; ///< as proven: function → file
    std::size_t most_rounds = 0;                       ///< it takes part in so many at most; 0: in all

    bool is_default() const noexcept; ///< the reference that the others are compared with
    bool is_control() const noexcept; ///< its second copy
    bool is_own() const noexcept { return is_default() || is_control(); } ///< what the program runs on anyway
};

/// What the user asked of `linn run`.
struct run_options {
    std::vector<std::string> only; ///< allocators; empty: all
    user_allocators allocators;
    std::vector<run_contender>
        given; ///< measured before the allocators; the environments of all runs then have one size
    std::size_t rounds = 0; ///< exactly as many; 0: adaptive
    std::size_t least_rounds = 10;
    std::size_t most_rounds = 100;
    std::size_t rounds_of_allocators =
        0; ///< those that are not `given` take part in so many at most; 0: in all
    std::size_t warm_up_rounds = 1;
    double precision = 0.01; ///< half-width of the interval of the wall ratio at which an adaptive run ends
    double level = 0.95;     ///< of the intervals; 1 - level bounds the false positives of the whole run
    std::chrono::seconds budget{120};
    std::string prepare; ///< shell command before every run, not measured
    bool compare_output = true;
    bool ignore_exit_status = false;
    bool keep_wrappers = false;
    std::uint64_t seed = 0;
    bool is_timeout_given = false; ///< false: after the discovery run, it follows from how long that took
    launch_spec launch;            ///< input, timeout, cpus, ready, client
};

/// One measured run.
struct run_sample {
    std::size_t round = 0;
    std::map<std::string, double> values; ///< by metric
    bool disturbed = false;               ///< something else used the machine, and repeating did not help
    bool same_output = true;
    probe::litter littered = {}; ///< its heap, before main; of `values` only the peak has it
};

/// One contender's runs.
struct run_row {
    run_contender contender;
    std::vector<run_sample> samples;
    std::map<std::string, estimate> estimates; ///< by metric; of the compared ones
    unsigned repeated = 0;                     ///< runs thrown away because the machine was disturbed
    std::string failure;                       ///< why it was given up, in a sentence; empty: it was not
    std::string last_output;                   ///< of the run that failed
    std::string output_difference; ///< the first difference from the default's output; empty: none

    bool is_sound() const noexcept { return failure.empty() && output_difference.empty(); }
    /// It has had all of its rounds, before the others.
    bool is_done() const noexcept {
        return contender.most_rounds != 0 && samples.size() >= contender.most_rounds;
    }

    std::vector<double> values(std::string_view metric) const;    ///< in the order of rounds
    const estimate* find_estimate(std::string_view metric) const; ///< null: not compared, or no figures
};

/// The whole of `linn run`.
struct run_result {
    run_options options;
    machine_info machine;
    target what;
    std::string started; ///< ISO 8601, UTC
    double seconds = 0;
    double measured_seconds = 0; ///< of them, the rounds
    std::vector<run_row>
        rows; ///< default first, then its copy, then the others in the order of the catalogue
    std::vector<left_out_contender> left_out;
    std::map<std::string, noise> noise_floor; ///< by metric; empty with too few rounds
    std::string judged_by =
        wall_metric; ///< what the verdict speaks of; `cpu_metric` where wall time is too noisy
    std::size_t complete_rounds = 0;
    bool outputs_compared = false; ///< every run's standard output with that of the discovery run
    std::size_t left_behind = 0;   ///< processes that runs left running, over the whole run
    stop_reason stopped = stop_reason::rounds;
    int interrupted_by = 0;
    std::string verdict;               ///< one sentence
    std::vector<std::string> findings; ///< sentences on memory, CPU time, failures
    std::vector<std::string> warnings; ///< what weakens the figures
    std::string problem;               ///< why nothing was measured; empty when something was
    bool is_usage_error = false;       ///< of `problem`

    bool complete() const noexcept { return interrupted_by == 0; }
    const run_row* find(std::string_view name) const noexcept;
};

/// The words of the schema "linn.run/2".
const char* to_string(verdict v) noexcept;
const char* to_string(stop_reason reason) noexcept;

/// What takes part, `default` and its copy first, and what does not, with the reason.
std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<left_out_contender>& left_out);

/// Contenders with higher ranks are left out first where the budget is small: the last of --only, otherwise the last of the catalogue.
/// Mimalloc and the settings of glibc stay longest, because they gain most in most programs and cost nothing to try.
std::size_t rank_of(const run_contender& c, const run_options& options);

/// Fills in estimates, calls and noise floors from the samples. Every contender is compared with `default` in the same
/// round, as the logarithm of the ratio. Each round runs the contenders in a random order of its own; if two of them are
/// alike, both signs of that logarithm are therefore equally likely in every round, on any machine, which is
/// all that the signed-rank test asks for. A difference is claimed when the test, adjusted by Holm's method over
/// the contenders, says so at 1 - level, the interval of the ratio excludes 1, and the ratio lies outside the noise
/// floor, which is the outer bound of the interval that the second copy of the default got, at least `least_program_claim`.
/// Rows that failed are not compared. With fewer than `rounds_to_judge` rounds there are no intervals, no noise floors and
/// no claims. `judged_by` becomes CPU time where wall time is noisier than the difference that CPU time shows.
void judge(run_result& result);

/// The logarithm of the ratio of one metric to that of another row, by round: of the rounds in which both ran. A count of nothing
/// is compared too: each count has 1 added.
using paired_rounds = std::map<std::size_t, double>;
paired_rounds pair_rounds(const run_row& row, const run_row& base, std::string_view metric);

/// The logarithms alone, in the order of rounds.
std::vector<double> log_ratios(const paired_rounds& pairs);

/// One row against another one than the default, in the rounds that have both: nothing where there are none. A difference is
/// claimed as `judge` claims one, with the noise floor that it found. @pre `judge` has run
/// @param comparisons how many are made at once (Bonferroni's correction)
std::optional<estimate> compare_rows(const run_result& result, const run_row& row, const run_row& base,
                                     std::string_view metric, std::size_t comparisons = 1);

/// The gap that wall time cannot see for this contender, as a share: the noise floor, or half of its own interval where that
/// is more; 0: not known. @pre `judge` has run
double wall_noise(const run_result& result, const run_row& row);

/// The noise floor as a saving and as a cost: "26 % less to 35 % more"; empty: not known. @pre `judge` has run
std::string noise_text(const run_result& result, std::string_view metric);

/// Half the width of the interval of the wall ratio of the contender that is known worst, as a share: 0.01 is 1 %.
/// Infinite where an interval is not known yet.
double worst_precision(const run_result& result);

/// The least number of rounds after which the test can claim anything for so many contenders at that level.
std::size_t least_rounds_to_claim(std::size_t contenders, double level);

/// Writes what the estimates mean into the result: the verdict in one sentence, findings, and warnings about what
/// weakens the figures. @pre `judge` has run
void describe_run(run_result& result);

/// What a run does to the world outside, so that a test can put another world in its place.
struct run_world {
    std::function<target(const launch_spec& options)> find_target;
    std::function<std::vector<allocator_entry>()> take_inventory;
    std::function<observation(const launch_spec& spec)> launch;
    std::function<std::string(const std::string& command)> prepare;
    std::function<machine_info()> inspect;
    std::function<double()> canary; ///< ticks a step
    std::function<void(std::size_t bytes)> touch_memory;
    std::function<std::chrono::duration<double>()> now; ///< seconds since whenever
    std::function<int()> interrupted;                   ///< the signal pending, or 0
};

/// Called a few times a second while the program is measured.
using run_progress = std::function<void(const work_progress&)>;

/// Given a sentence for the person who waits, such as how long it will take.
using run_notice = std::function<void(const std::string&)>;

/// Asked after each round, when the least number of them is done: whether enough is known. It may end a row by its `most_rounds`.
using round_judge = std::function<bool(run_result& so_far)>;

/// The world that the program runs in. `tick` is called a few times a second while a process runs. What is given must outlive it.
run_world world_of(const run_options& options, const std::vector<std::string>& command,
                   const interrupt_guard& guard, const std::function<void()>& tick);

/// Finds the program, proves who provides its memory, and runs it under every allocator: all of them once a round, each
/// round in a random order of its own, until the intervals are narrow or the budget is spent. Returns early, with what
/// there is, when a signal is pending. With `judge` an adaptive run ends when that says so, and not when the intervals are
/// narrow.
run_result run_program(const run_options& options, const run_world& world, const run_progress& report,
                       const run_notice& notice, const round_judge& judge = {});

} // namespace linn::tool
