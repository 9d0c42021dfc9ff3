// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace linn::tool {

schedule::schedule(round_limits limits, const std::vector<guess>& jobs) : limits_{limits} {
    std::size_t groups = 0;
    for (const guess& g : jobs) {
        jobs_.push_back({g});
        groups = std::max(groups, g.group + 1);
    }
    groups_.resize(groups);
}

void schedule::took(std::size_t job, double seconds) {
    job_cost& j = jobs_[job];
    j.seconds += seconds;
    ++j.cells;
    for (correction* c : {&groups_[j.first.group], &all_}) {
        c->seconds += seconds;
        c->guessed += j.first.seconds;
    }
}

void schedule::drop(std::size_t job) {
    jobs_[job].is_dropped = true;
}

double schedule::cost(std::size_t job) const {
    const job_cost& j = jobs_[job];
    if (j.is_dropped) {
        return 0;
    }
    if (j.cells != 0) {
        return j.seconds / static_cast<double>(j.cells);
    }
    for (const correction* c : {&groups_[j.first.group], &all_}) {
        if (c->guessed > 0) {
            return j.first.seconds * c->seconds / c->guessed;
        }
    }
    return j.first.seconds;
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

bool schedule::fits(std::size_t done, std::size_t rounds, double elapsed) const {
    const std::size_t more = rounds > done ? rounds - done : 0;
    return limits_.budget_seconds <= 0 ||
           elapsed + static_cast<double>(more) * round_seconds() <= limits_.budget_seconds;
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
    if (limits_.budget_seconds <= 0) {
        return true;
    }
    return fits(done + 1, std::max(limits_.least, limits_.wanted), elapsed + cost(rest));
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

} // namespace linn::tool
