// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

/// Knows what cells took, so what is still to come, and whether another round fits. Has no clock of its own.
class schedule {
public:
    /// A first guess at what a job takes. Those of one group are off by the same factor, roughly.
    struct guess {
        std::size_t group = 0;
        double seconds = 1;
    };

    schedule(round_limits limits, const std::vector<guess>& jobs);

    /// One cell of the job took that long, repetitions included.
    void took(std::size_t job, double seconds);

    /// The job takes no part any more.
    void drop(std::size_t job);

    /// So many rounds are enough, as far as known now.
    void expect(std::size_t rounds) noexcept { limits_.most = rounds; }

    /// What a whole round takes: measured where a job has run, else guessed and corrected by others of its group, or
    /// by all where none of the group has run.
    double round_seconds() const;

    /// Whether to start another round after `done` of them; `elapsed` counts from the start of the experiment.
    bool starts_another(std::size_t done, double elapsed) const;

    /// Whether so many rounds will be done within the budget: the cells `rest` are left of one, and `done` are complete.
    bool fits(std::span<const cell> rest, std::size_t done, std::size_t rounds, double elapsed) const;

    /// What is left of the experiment: the cells of the round that `rest` are left of, and the rounds that will fit after it,
    /// of which `done` are complete now.
    double seconds_left(std::span<const cell> rest, std::size_t done, double elapsed) const;

    /// Whether a cell may be repeated: only while the rounds wanted then still fit, as far as known now.
    bool may_repeat(std::span<const cell> rest, std::size_t done, double elapsed) const;

private:
    struct job_cost {
        guess first;
        double seconds = 0; // of all its cells
        std::size_t cells = 0;
        bool is_dropped = false;
    };
    struct correction {
        double seconds = 0; // measured
        double guessed = 0; // for the same cells
    };

    double cost(std::size_t job) const;
    double cost(std::span<const cell> cells) const;

    round_limits limits_;
    std::vector<job_cost> jobs_;
    std::vector<correction> groups_;
    correction all_;
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

/// The reason where a result says only what was asked for and what became of it.
stop_reason why_stopped(int interrupted_by, std::size_t complete_rounds, std::size_t asked_for) noexcept;

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
    std::vector<schedule::guess> jobs; ///< what each takes, as far as known beforehand
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

} // namespace linn::tool
