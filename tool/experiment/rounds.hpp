// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "../measure/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// One process to start.
struct cell {
    std::size_t round = 0;
    std::size_t job = 0; ///< one contender at one task
    bool operator==(const cell&) const = default;
};

/// Every job once a round, each round in its own random order. The same seed gives the same
/// plan everywhere (no standard library's `shuffle` takes part). Sequential blocks would turn a slow minute of the
/// machine into a slow allocator.
std::vector<cell> make_plan(std::size_t jobs, std::size_t rounds, std::uint64_t seed);

/// How many rounds an experiment may have. Only whole rounds are fair, so a budget ends it between two of them.
struct round_limits {
    std::size_t least = 1; ///< regardless of the budget
    std::size_t most = 10;
    double budget_seconds = 0; ///< of the whole experiment; 0: none
    std::size_t wanted = 0;    ///< a process is repeated only while so many rounds, or `least`, still fit
};

/// A process counts as disturbed when the canary next to it ran this much slower than the fastest one seen.
inline constexpr double canary_tolerance = 1.10;
/// And when what it measured had less than this share of its CPU.
inline constexpr double least_cpu_share = 0.98;
/// How often a disturbed process is repeated before its figures are kept and marked.
inline constexpr unsigned most_repetitions = 3;
/// And how many of all processes so far may be repetitions: a machine that is always busy must not make everything take
/// several times as long.
inline constexpr double most_repeated_share = 0.25;

/// Why an experiment ended.
enum class stop_reason { precise, rounds, budget, interrupted, nothing_to_compare };

/// How one process ended.
struct attempt {
    enum class ending {
        measured,
        failed,      ///< the job takes no further part
        impossible,  ///< and no other job makes sense without it
        interrupted, ///< the tool was asked to stop
    };

    ending how = ending::measured;
    double canary = 0;    ///< ticks a step, the slower one of before and after
    double cpu_share = 1; ///< CPU time by wall time of the measured process; 1: not known
};

/// How reliable a kept measurement is.
struct kept_attempt {
    std::size_t round = 0;     ///< from 0, warm-ups not counted
    unsigned repeated = 0;     ///< disturbed ones before it, thrown away
    bool is_disturbed = false; ///< it is as well
};

/// What an experiment compares, and the world it runs in: the command's part of the work. A job is one contender at one task.
class experiment {
public:
    experiment() = default;
    experiment(const experiment&) = delete;
    experiment& operator=(const experiment&) = delete;
    virtual ~experiment() = default;

    /// False once it has failed, or has had all of its rounds; then it stays so.
    virtual bool takes_part(std::size_t job) const = 0;
    virtual std::string title_of(std::size_t job) const = 0;
    /// Starts one process of the job and waits for it. Its figures are kept only when `keep` is called next.
    virtual attempt run_once(const cell& now) = 0;
    virtual void keep(const cell& now, const kept_attempt& how) = 0;
    /// After how many rounds enough is known, as far as that can be told after so many: `complete` or less ends it.
    virtual std::size_t rounds_needed(std::size_t complete);
    /// How many rounds a judgement of the jobs that take part needs; 0: the limits alone decide.
    virtual std::size_t rounds_for_claim() const { return 0; }
    /// Leaves out the contender that matters least, so that the others can be judged within the budget. False where all that is left
    /// must stay.
    virtual bool leave_out() { return false; }
    /// Of the budget that are used up.
    virtual double seconds() const = 0;
    virtual void report(const work_progress& progress) = 0;
};

struct round_options {
    std::size_t warm_up_rounds = 1; ///< whose figures are discarded
    round_limits limits;            ///< without the warm-up; the budget is with it
    std::uint64_t seed = 0;
    std::size_t jobs = 0;
    double guess = 1; ///< what a job takes, in seconds, as far as known beforehand
};

/// How far it got.
struct rounds_done {
    std::size_t complete = 0; ///< without warm-ups
    stop_reason stopped = stop_reason::rounds;
};

/// Runs every job once a round, each round in a random order of its own, until enough is known, the rounds or the budget are
/// spent, or a signal is pending. Before each round, contenders without which the others can be judged within the budget are left
/// out, and in the second half of the budget those without which the first round ends in time; where even that is not enough, the
/// first round is the last. A job that fails is left out from then on; a disturbed process is repeated while there is time for
/// that. Only the last round may be incomplete, and only after an interruption or where nothing could follow.
rounds_done run_rounds(experiment& what, const round_options& options);

/// A smaller difference of a whole program is never claimed, however quiet the machine was: the size of the environment
/// and the order of libraries alone move a program's time by about as much.
/// @source Mytkowicz, Diwan, Hauswirth and Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong!, 2009
inline constexpr double least_program_claim = 0.01;

enum class verdict {
    better,
    worse,
    no_difference, ///< none that these rounds can show
    not_judged,    ///< too few rounds for a claim
};

/// What is known of one metric of one contender.
struct estimate {
    double median = 0;
    double low = 0; ///< interval of the median
    double high = 0;
    double ratio = 1; ///< median of the ratios to the reference in the same round; below 1: less
    double ratio_low = 1;
    double ratio_high = 1;
    double p = 1;          ///< Wilcoxon's signed-rank test of the logarithms of these ratios
    double p_adjusted = 1; ///< after Holm, over the contenders
    verdict call = verdict::not_judged;

    bool is_different() const noexcept { return call == verdict::better || call == verdict::worse; }
};

/// The gap that a difference must exceed to be claimed: what two copies of the same thing showed.
struct noise {
    double ratio = 1;
    double low = 1;
    double high = 1;
    double p = 1;
    double floor = 0; ///< as a share: 0.012 means 1.2 %
};

/// An experiment with fewer rounds than a judgement needs.
struct too_few_rounds {
    std::size_t done = 0;
    std::size_t needed = rounds_to_judge;
    double seconds = 0; ///< that the rounds done took; 0: not known
    double besides = 0; ///< seconds of the budget that went elsewhere
    stop_reason why = stop_reason::rounds;
    std::string_view others = {}; ///< what else helps: "--only"; empty: nothing
};

/// "2 rounds are too few to compare 12 allocators (9 needed): use --budget 280 or --only", and where the number of rounds
/// was given "…: use --rounds 9 (about 4 min) or --only". `purpose` is "to compare 12 allocators". @pre done < needed
std::string text_of(const too_few_rounds& rounds, std::string_view purpose);

} // namespace linn::tool
