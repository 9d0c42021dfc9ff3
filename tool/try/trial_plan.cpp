// SPDX-License-Identifier: Apache-2.0
#include "trial_plan.hpp"

#include "../run/judge.hpp"

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t own_arms = 2;        // the plain program, twice
constexpr std::size_t explaining_arms = 2; // `sizes` and `lookup`
constexpr std::size_t fewest_alone = 3;    // candidates that are worth a part of their own
// The first run, the one that counts, and one more before each part.
constexpr double runs_of_no_part = 5;

double runs_of(const trial_plan& plan, double level) {
    return runs_of_no_part + runs_to_claim(plan.arms_alone(), level) +
           runs_to_claim(plan.arms_together(), level) + runs_to_claim(plan.arms_further(), level);
}

trial_plan whole(const trial_wishes& wishes) {
    return {wishes.candidates > 1 ? wishes.candidates : 0, true, wishes.rivals, wishes.variants,
            wishes.rivals != 0};
}

/// The second part with less and less in it.
std::vector<trial_plan> lighter(const trial_plan& plan) {
    std::vector<trial_plan> all{plan};
    for (const std::size_t rivals : {std::size_t{2}, std::size_t{1}}) {
        trial_plan less = plan;
        less.explains = false;
        less.rivals = std::min(plan.rivals, rivals);
        all.push_back(less);
    }
    return all;
}

/// The third part with less and less in it.
std::vector<trial_plan> shorter(const trial_plan& plan) {
    std::vector<trial_plan> all;
    trial_plan less = plan;
    for (; less.variants > 1; --less.variants) {
        all.push_back(less);
    }
    all.push_back(less);
    if (less.variants != 0 && less.has_both) {
        all.push_back(less);
        all.back().has_both = false;
    }
    less.variants = 0;
    all.push_back(less);
    less.has_both = false;
    all.push_back(less);
    return all;
}

} // namespace

std::size_t trial_plan::arms_alone() const noexcept {
    return alone == 0 ? 0 : own_arms + alone;
}

std::size_t trial_plan::arms_together() const noexcept {
    return own_arms + 2 + (explains ? explaining_arms : 0) + rivals; // the pools, an empty plan
}

std::size_t trial_plan::arms_further() const noexcept {
    const std::size_t arms = (variants != 0 ? 1 + variants : 0) + (has_both ? 2 : 0);
    return arms == 0 ? 0 : own_arms + arms;
}

trial_plan plan_trial(const trial_wishes& wishes) {
    const trial_plan all = whole(wishes);
    if (wishes.budget <= 0 || wishes.seconds_a_run <= 0) {
        return all;
    }
    const double runs = wishes.budget / wishes.seconds_a_run;
    for (const trial_plan& third : shorter(all)) {
        for (const std::size_t alone : {std::min(all.alone, fewest_alone), std::size_t{0}}) {
            for (trial_plan plan : lighter(third)) {
                plan.alone = alone;
                if (runs_of(plan, wishes.level) > runs) {
                    continue;
                }
                while (plan.alone != 0 && plan.alone != all.alone) {
                    ++plan.alone;
                    if (runs_of(plan, wishes.level) > runs) {
                        --plan.alone;
                        break;
                    }
                }
                return plan;
            }
        }
    }
    trial_plan least = lighter(all).back();
    least.alone = least.variants = 0;
    least.has_both = false;
    return least;
}

double runs_to_claim(std::size_t arms, double level) {
    return arms <= own_arms ? 0 : static_cast<double>(arms * least_rounds_to_claim(arms - own_arms, level));
}

double seconds_of_plan(const trial_plan& plan, const trial_wishes& wishes) {
    return runs_of(plan, wishes.level) * wishes.seconds_a_run;
}

double seconds_for_all(const trial_wishes& wishes) {
    return seconds_of_plan(whole(wishes), wishes);
}

} // namespace linn::tool
