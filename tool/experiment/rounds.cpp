// SPDX-License-Identifier: Apache-2.0
#include "rounds.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace linn::tool {

schedule::schedule(round_limits limits, const std::vector<double>& guesses) : limits_{limits} {
    for (const double guess : guesses) {
        jobs_.push_back({guess});
    }
}

void schedule::took(std::size_t job, double seconds) {
    job_cost& j = jobs_[job];
    j.seconds += seconds;
    ++j.cells;
    measured_ += seconds;
    guessed_ += j.guess;
}

void schedule::drop(std::size_t job) {
    jobs_[job].is_dropped = true;
}

double schedule::cost(std::size_t job) const {
    const job_cost& j = jobs_[job];
    if (j.is_dropped) {
        return 0;
    }
    return j.cells != 0   ? j.seconds / static_cast<double>(j.cells)
           : guessed_ > 0 ? j.guess * measured_ / guessed_
                          : j.guess;
}

double schedule::round_seconds() const {
    double sum = 0;
    for (std::size_t j = 0; j != jobs_.size(); ++j) {
        sum += cost(j);
    }
    return sum;
}

bool schedule::starts_another(std::size_t done, double elapsed) const {
    if (done < limits_.least) {
        return true;
    }
    if (done >= limits_.most) {
        return false;
    }
    return limits_.budget_seconds <= 0 || elapsed + round_seconds() <= limits_.budget_seconds;
}

bool schedule::fits(std::span<const cell> rest, std::size_t done, std::size_t rounds, double elapsed) const {
    const std::size_t more = rounds > done + 1 ? rounds - done - 1 : 0;
    return limits_.budget_seconds <= 0 ||
           elapsed + cost(rest) + static_cast<double>(more) * round_seconds() <= limits_.budget_seconds;
}

double schedule::cost(std::span<const cell> cells) const {
    double sum = 0;
    for (const cell& c : cells) {
        sum += cost(c.job);
    }
    return sum;
}

double schedule::seconds_left(std::span<const cell> rest, std::size_t done, double elapsed) const {
    double left = cost(rest);
    const double round = round_seconds();
    for (std::size_t r = done + (rest.empty() ? 0 : 1); starts_another(r, elapsed + left); ++r) {
        left += round;
    }
    return left;
}

bool schedule::may_repeat(std::span<const cell> rest, std::size_t done, double elapsed) const {
    return fits(rest, done, std::max(limits_.least, limits_.wanted), elapsed);
}

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
          plan_{make_plan(options.jobs.size(), options.warm_up_rounds + options.limits.most, options.seed)},
          times_{with_warm_up(options), options.jobs} {}

    rounds_done perform() {
        const std::size_t jobs = options_.jobs.size();
        expect_rounds();
        for (std::size_t round = 0;
             jobs != 0 && may_begin(round) && times_.starts_another(round, what_.seconds()); ++round) {
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
    static round_limits with_warm_up(const round_options& options) {
        round_limits limits = options.limits;
        for (std::size_t* const rounds : {&limits.least, &limits.most, &limits.wanted}) {
            *rounds += options.warm_up_rounds;
        }
        return limits;
    }

    void expect_rounds() {
        needed_ = what_.rounds_needed(done_.complete);
        const std::size_t rounds = options_.warm_up_rounds + std::min(needed_, options_.limits.most);
        times_.expect(rounds);
        progress_.total = options_.jobs.size() * rounds;
    }

    std::span<const cell> cells_of(std::size_t round) const {
        return std::span{plan_}.subspan(round * options_.jobs.size(), options_.jobs.size());
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
        for (;;) {
            for (std::size_t job = 0; job != options_.jobs.size(); ++job) {
                if (!what_.takes_part(job)) {
                    times_.drop(job);
                }
            }
            if (times_.fits(rest, rest.front().round, rounds, what_.seconds())) {
                return true;
            }
            if (!what_.leave_out()) {
                return false;
            }
        }
    }

    bool is_warm_up(const cell& now) const { return now.round < options_.warm_up_rounds; }

    void report(std::span<const cell> rest) {
        const cell& now = rest.front();
        progress_.seconds_left = times_.seconds_left(rest, now.round, what_.seconds());
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
            times_.drop(now.job);
            return true;
        }
        const double begin = what_.seconds();
        for (unsigned repeated = 0;; ++repeated) {
            report(rest);
            const attempt a = what_.run_once(now);
            if (a.how == attempt::ending::failed) {
                times_.drop(now.job);
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
            times_.took(now.job, what_.seconds() - begin);
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
               times_.may_repeat(rest, rest.front().round, what_.seconds());
    }

    experiment& what_;
    const round_options& options_;
    const std::vector<cell> plan_;
    schedule times_;
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

stop_reason why_stopped(int interrupted_by, std::size_t complete_rounds, std::size_t asked_for) noexcept {
    return interrupted_by != 0           ? stop_reason::interrupted
           : complete_rounds < asked_for ? stop_reason::budget
                                         : stop_reason::rounds;
}

rounds_done run_rounds(experiment& what, const round_options& options) {
    return round_runner{what, options}.perform();
}

paired_estimate estimate_median(std::span<const double> values, double level) {
    const interval middle = median_interval(values, level);
    paired_estimate e;
    e.median = middle.middle;
    e.low = middle.low;
    e.high = middle.high;
    return e;
}

void estimate_ratio(paired_estimate& e, std::span<const double> log_ratios, double level) {
    const interval ratio = median_interval(log_ratios, level);
    e.ratio = std::exp(ratio.middle);
    e.ratio_low = std::exp(ratio.low);
    e.ratio_high = std::exp(ratio.high);
}

double distance(double ratio) {
    return std::exp(std::abs(std::log(ratio))) - 1;
}

double noise_floor_of(const paired_estimate& control) {
    return std::max(distance(control.ratio_low), distance(control.ratio_high));
}

bool exceeds_noise(const paired_estimate& e, double floor) {
    return (e.ratio_low > 1 || e.ratio_high < 1) && distance(e.ratio) > floor;
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
