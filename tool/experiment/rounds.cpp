// SPDX-License-Identifier: Apache-2.0
#include "rounds.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>

namespace linn::tool {

std::vector<cell> make_plan(std::size_t jobs, std::size_t rounds, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<cell> plan;
    plan.reserve(jobs * rounds);
    for (std::size_t r = 0; r != rounds; ++r) {
        const std::size_t begin = plan.size();
        for (std::size_t j = 0; j != jobs; ++j) {
            plan.push_back({r, j});
        }
        // Fisher and Yates; the bias of the remainder is below 2^-50 for any plan that ends in this century.
        for (std::size_t left = plan.size() - begin; left > 1; --left) {
            std::swap(plan[begin + left - 1], plan[begin + random() % left]);
        }
    }
    return plan;
}

namespace {

class round_runner {
public:
    round_runner(experiment& what, const round_options& options)
        : what_{what},
          options_{options},
          plan_{make_plan(options.jobs, options.warm_up_rounds + options.limits.most, options.seed)},
          limits_{options.limits},
          costs_(options.jobs) {
        for (std::size_t* const rounds : {&limits_.least, &limits_.most, &limits_.wanted}) {
            *rounds += options.warm_up_rounds;
        }
    }

    rounds_done perform() {
        const std::size_t jobs = options_.jobs;
        expect_rounds();
        for (std::size_t round = 0;
             jobs != 0 && may_begin(round) && starts_another(round, what_.seconds(), round_seconds());
             ++round) {
            for (std::span rest = cells_of(round); !rest.empty(); rest = rest.subspan(1)) {
                // By then enough of the first round has run to know what its rest takes.
                const bool is_half_gone = 2 * what_.seconds() > options_.limits.budget_seconds;
                if (done_.complete == 0 && what_.rounds_for_claim() != 0 && is_half_gone) {
                    makes_room(rest, round + 1);
                }
                if (!run_cell(rest)) {
                    return done_;
                }
                ++progress_.done;
            }
            if (round >= options_.warm_up_rounds) {
                ++done_.complete;
                expect_rounds();
            }
        }
        if (done_.complete >= needed_) {
            done_.stopped = stop_reason::precise;
        } else if (done_.complete < options_.limits.most) {
            done_.stopped = stop_reason::budget;
        }
        progress_.done = progress_.total;
        return done_;
    }

private:
    /// What the runs of a job took, repetitions included.
    struct cost_so_far {
        double seconds = 0;
        std::size_t cells = 0;
    };

    /// As measured where the job has run, otherwise the mean of those that have, or the guess.
    double cost(std::size_t job) const {
        if (!what_.takes_part(job)) {
            return 0;
        }
        const cost_so_far& known = costs_[job].cells != 0 ? costs_[job] : all_;
        return known.cells != 0 ? known.seconds / static_cast<double>(known.cells) : options_.guess;
    }

    double cost(std::span<const cell> cells) const {
        double sum = 0;
        for (const cell& c : cells) {
            sum += cost(c.job);
        }
        return sum;
    }

    double round_seconds() const { return cost(cells_of(0)); } // each has all jobs

    bool is_within_budget(double seconds) const {
        return limits_.budget_seconds <= 0 || seconds <= limits_.budget_seconds;
    }

    /// Whether to start another round, which takes `round`, after `done` of them; `elapsed` counts from the start of the experiment.
    bool starts_another(std::size_t done, double elapsed, double round) const {
        return done < limits_.least || (done < limits_.most && is_within_budget(elapsed + round));
    }

    /// Whether so many rounds will be done within the budget: the cells `rest` are left of one, those before it are complete.
    bool fits(std::span<const cell> rest, std::size_t rounds) const {
        const std::size_t begun = rest.front().round + 1;
        const double more = rounds > begun ? static_cast<double>(rounds - begun) : 0;
        return is_within_budget(what_.seconds() + cost(rest) + more * round_seconds());
    }

    /// What is left: the cells of the round that `rest` are left of, and the rounds that will fit after it.
    double seconds_left(std::span<const cell> rest) const {
        const double now = what_.seconds();
        const double round = round_seconds();
        double left = cost(rest);
        for (std::size_t r = rest.front().round + 1; starts_another(r, now + left, round); ++r) {
            left += round;
        }
        return left;
    }

    void expect_rounds() {
        needed_ = what_.rounds_needed(done_.complete);
        limits_.most = options_.warm_up_rounds + std::min(needed_, options_.limits.most);
        progress_.total = options_.jobs * limits_.most;
    }

    std::span<const cell> cells_of(std::size_t round) const {
        return std::span{plan_}.subspan(round * options_.jobs, options_.jobs);
    }

    /// Whether a judgement fits the budget, at least without some of the jobs. What a round takes may be a guess until one is done.
    bool may_begin(std::size_t round) {
        const std::size_t needed = what_.rounds_for_claim();
        const std::size_t rounds = options_.warm_up_rounds + needed;
        return needed == 0 || round >= rounds || makes_room(cells_of(round), rounds) ||
               round <= options_.warm_up_rounds;
    }

    /// Leaves out jobs until the rest of a round, and what is left of so many rounds, fit the budget; false where they never do.
    bool makes_room(std::span<const cell> rest, std::size_t rounds) {
        while (!fits(rest, rounds)) {
            if (!what_.leave_out()) {
                return false;
            }
        }
        return true;
    }

    bool is_warm_up(const cell& now) const { return now.round < options_.warm_up_rounds; }

    void report(std::span<const cell> rest) {
        const cell& now = rest.front();
        progress_.seconds_left = seconds_left(rest);
        progress_.doing =
            fmt::format("{}, {}",
                        is_warm_up(now) ? std::string{"warm-up"}
                                        : fmt::format("round {}", now.round + 1 - options_.warm_up_rounds),
                        what_.title_of(now.job));
        what_.report(progress_);
    }

    /// Runs the first of the cells left of a round until it is undisturbed; false to end the whole.
    bool run_cell(std::span<const cell> rest) {
        const cell& now = rest.front();
        if (!what_.takes_part(now.job)) {
            return true;
        }
        const double begin = what_.seconds();
        for (unsigned repeated = 0;; ++repeated) {
            report(rest);
            const attempt a = what_.run_once(now);
            if (a.how == attempt::ending::failed) {
                return true;
            }
            if (a.how != attempt::ending::measured) {
                if (a.how == attempt::ending::interrupted) {
                    done_.stopped = stop_reason::interrupted;
                }
                return false;
            }
            const bool is_disturbed = notes_disturbance(a);
            if (!is_warm_up(now)) {
                ++processes_;
                if (is_disturbed && may_repeat(rest, repeated)) {
                    ++progress_.repeated;
                    continue;
                }
                what_.keep(now, {now.round - options_.warm_up_rounds, repeated, is_disturbed});
            }
            for (cost_so_far* const known : {&costs_[now.job], &all_}) {
                known->seconds += what_.seconds() - begin;
                ++known->cells;
            }
            return true;
        }
    }

    bool notes_disturbance(const attempt& a) {
        best_canary_ = best_canary_ == 0 ? a.canary : std::min(best_canary_, a.canary);
        return a.canary > best_canary_ * canary_tolerance || a.cpu_share < least_cpu_share;
    }

    bool may_repeat(std::span<const cell> rest, unsigned repeated) const {
        return repeated < most_repetitions &&
               progress_.repeated < most_repeated_share * static_cast<double>(processes_) &&
               fits(rest, std::max(limits_.least, limits_.wanted));
    }

    experiment& what_;
    const round_options& options_;
    const std::vector<cell> plan_;
    round_limits limits_; // with the warm-up; the most are what is needed, as far as known now
    std::vector<cost_so_far> costs_;
    cost_so_far all_;
    rounds_done done_;
    work_progress progress_;
    std::size_t needed_ = 0;
    std::size_t processes_ = 0; // beyond the warm-up
    double best_canary_ = 0;
};

} // namespace

std::size_t experiment::rounds_needed(std::size_t) {
    return std::numeric_limits<std::size_t>::max(); // only the limits end it
}

rounds_done run_rounds(experiment& what, const round_options& options) {
    return round_runner{what, options}.perform();
}

namespace {

/// The seconds that the rounds needed take, by the time of those done, with room for one more; in tens from 20 on. 0: not
/// known.
double seconds_needed(const too_few_rounds& rounds) {
    if (rounds.done == 0 || rounds.seconds <= 0) {
        return 0;
    }
    const double seconds = rounds.besides + rounds.seconds / static_cast<double>(rounds.done) *
                                                static_cast<double>(rounds.needed + 1);
    return seconds < 20 ? std::ceil(seconds) : std::ceil(seconds / 10) * 10;
}

} // namespace

std::string text_of(const too_few_rounds& rounds, std::string_view purpose) {
    std::string text =
        fmt::format("{} too few {} ({} needed)", figures::counted(rounds.done, "round is", "rounds are"),
                    purpose, rounds.needed);
    if (rounds.why == stop_reason::interrupted) {
        return text + ": it was stopped";
    }
    const double seconds = seconds_needed(rounds);
    if (rounds.why == stop_reason::budget) {
        text += seconds > 0 ? ": use --budget " + figures::written(figures::unit::count, seconds)
                            : ": use a larger --budget";
    } else {
        text += fmt::format(": use --rounds {}{}", rounds.needed,
                            seconds > 0 ? fmt::format(" (about {})", figures::seconds_text(seconds)) : "");
    }
    return rounds.others.empty() ? text : fmt::format("{} or {}", text, rounds.others);
}

} // namespace linn::tool
