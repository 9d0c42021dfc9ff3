// SPDX-License-Identifier: Apache-2.0
#include "trial_plan.hpp"

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t arms_always = 3; // the plain program, its copy, a pool for each type
constexpr double most_screening_share = 0.2;
constexpr std::size_t most_screening_rounds = 3;

/// With less and less in it.
std::vector<trial_plan> lighter(const trial_wishes& wishes) {
    trial_plan plan{wishes.has_sizes, wishes.has_every, true, std::min(wishes.allocators, most_allocators)};
    std::vector<trial_plan> all{plan};
    while (plan.allocators > 1) {
        --plan.allocators;
        all.push_back(plan);
    }
    plan.has_empty = false;
    all.push_back(plan);
    plan.has_every = false;
    all.push_back(plan);
    plan.allocators = 0;
    all.push_back(plan);
    return all;
}

} // namespace

std::size_t trial_plan::arms() const noexcept {
    return arms_always + (has_sizes ? 1 : 0) + (has_every ? 1 : 0) + (has_empty ? 1 : 0) + allocators;
}

trial_plan plan_decision(const trial_wishes& wishes) {
    std::vector<trial_plan> all = lighter(wishes);
    if (wishes.seconds <= 0 || wishes.seconds_a_run <= 0) {
        return all.front();
    }
    for (trial_plan& plan : all) {
        const double seconds_a_round = static_cast<double>(plan.arms()) * wishes.seconds_a_run;
        plan.rounds = wishes.seconds / seconds_a_round;
        plan.seconds_needed = rounds_to_decide * seconds_a_round;
        if (plan.can_decide()) {
            return plan;
        }
    }
    return all.back();
}

std::size_t screening_rounds(std::size_t allocators, const trial_wishes& wishes) {
    if (allocators <= most_allocators) {
        return 0;
    }
    if (wishes.seconds <= 0 || wishes.seconds_a_run <= 0) {
        return 1;
    }
    const double runs = most_screening_share * wishes.seconds / wishes.seconds_a_run;
    return std::min(most_screening_rounds,
                    static_cast<std::size_t>(runs / static_cast<double>(allocators + 2)));
}

} // namespace linn::tool
