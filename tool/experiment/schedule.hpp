// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

    /// Whether so many rounds will be done within the budget; `done` of them are.
    bool fits(std::size_t done, std::size_t rounds, double elapsed) const;

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

} // namespace linn::tool
