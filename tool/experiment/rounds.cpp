// SPDX-License-Identifier: Apache-2.0
#include "rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

namespace linn::tool {
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
             jobs != 0 && makes_room(round) && times_.starts_another(round, what_.seconds()); ++round) {
            for (std::span rest = std::span{plan_}.subspan(round * jobs, jobs); !rest.empty();
                 rest = rest.subspan(1)) {
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

    /// Leaves out what the budget has no room for; false where a judgement does not fit even then.
    bool makes_room(std::size_t round) {
        const auto fits = [&] {
            for (std::size_t job = 0; job != options_.jobs.size(); ++job) {
                if (!what_.takes_part(job)) {
                    times_.drop(job);
                }
            }
            const std::size_t needed = what_.rounds_for_claim();
            return needed == 0 || times_.fits(round, options_.warm_up_rounds + needed, what_.seconds());
        };
        while (!fits()) {
            if (!what_.leave_out()) {
                return round <=
                       options_.warm_up_rounds; // what a round takes may be a guess until one is done
            }
        }
        return true;
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

} // namespace linn::tool
