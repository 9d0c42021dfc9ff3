// SPDX-License-Identifier: Apache-2.0
#include "../measure/words.hpp"
#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace linn::tool {
namespace {

constexpr std::size_t arms_always = 3; // the plain program, its copy, a pool for each type
constexpr double most_screening_share = 0.2;
constexpr std::size_t most_screening_rounds = 3;

/// Leaves out what decides least. False: nothing more can go.
bool lighten(trial_plan& plan) {
    if (plan.allocators > 1) {
        --plan.allocators;
        return true;
    }
    return std::exchange(plan.has_empty, false) || std::exchange(plan.has_every, false) ||
           std::exchange(plan.allocators, 0) != 0;
}

} // namespace

std::size_t trial_plan::arms() const noexcept {
    return arms_always + (has_sizes ? 1 : 0) + (has_every ? 1 : 0) + (has_empty ? 1 : 0) + allocators;
}

double trial_plan::seconds_of(double of_rounds) const noexcept {
    return of_rounds * static_cast<double>(arms()) * seconds_a_run;
}

trial_plan plan_decision(trial_plan plan) {
    plan.allocators = std::min(plan.allocators, most_allocators);
    if (plan.seconds <= 0 || plan.seconds_a_run <= 0) {
        return plan;
    }
    do {
        plan.rounds = plan.seconds / plan.seconds_of(1);
    } while (!plan.can_decide() && lighten(plan));
    return plan;
}

std::size_t screening_rounds(const trial_plan& wishes) {
    if (wishes.allocators <= most_allocators) {
        return 0;
    }
    if (wishes.seconds <= 0 || wishes.seconds_a_run <= 0) {
        return 1;
    }
    const double runs = most_screening_share * wishes.seconds / wishes.seconds_a_run;
    return std::min(most_screening_rounds,
                    static_cast<std::size_t>(runs / static_cast<double>(wishes.allocators + 2)));
}

namespace {

constexpr double clear_half_widths = 3;

double half_width(const interval& s) {
    return (s.high - s.low) / 2;
}

struct contestant {
    std::string name;
    paired_rounds pairs;
};

/// The median of the rounds that are not of a part; `choice_parts`: of all.
double median_without(const contestant& c, std::size_t part) {
    std::vector<double> values;
    for (const auto& [round, value] : c.pairs) {
        if (round % choice_parts != part) {
            values.push_back(value);
        }
    }
    return values.empty() ? 0 : median(values);
}

std::size_t choose(const std::vector<contestant>& all, std::size_t left_out_part, double margin) {
    std::size_t best = 0;
    double least = median_without(all.front(), left_out_part);
    for (std::size_t i = 1; i != all.size(); ++i) {
        if (const double value = median_without(all[i], left_out_part); value < least - margin) {
            best = i;
            least = value;
        }
    }
    return best;
}

interval saving_of(const paired_rounds& pairs, const run_result& run) {
    const interval ratio = median_interval(log_ratios(pairs), run.options.level);
    return {1 - std::exp(ratio.middle), 1 - std::exp(ratio.high), 1 - std::exp(ratio.low)};
}

verdict call_of(const run_result& run, const std::string& arm) {
    const run_row* const row = run.find(arm);
    const estimate* const e = row == nullptr ? nullptr : row->find_estimate(cpu_metric);
    return e == nullptr ? verdict::not_judged : e->call;
}

/// How many rounds the test needs to claim anything of the rows.
std::size_t rounds_to_claim(const run_result& run) {
    const auto compared = static_cast<std::size_t>(std::ranges::count_if(
        run.rows, [](const run_row& row) { return row.is_sound() && !row.contender.is_own(); }));
    return std::max(rounds_to_judge, least_rounds_to_claim(compared, run.options.level));
}

void answer(try_judgement& j, const run_result& run) {
    interval& s = j.pools->saved;
    const verdict call = call_of(run, j.pools->name);
    j.rounds_needed = rounds_to_claim(run);
    if (call == verdict::no_difference && s.is_known()) {
        // The test does not tell it from none, so the interval must not either.
        s.low = std::min(s.low, 0.0);
        s.high = std::max(s.high, 0.0);
    }
    j.saves = s.is_known() && s.low > 0 && call == verdict::better;
    j.costs = s.is_known() && s.high < 0 && call == verdict::worse;
    j.open = open_question::none;
    if (s.is_known() && s.high < worth_a_pool) {
        j.answer = pool_answer::no;
    } else if (j.saves && s.low >= worth_a_pool) {
        j.answer = pool_answer::yes;
    } else {
        j.answer = pool_answer::not_known;
        j.open =
            s.is_known() && s.low < worth_a_pool ? open_question::too_wide : open_question::too_few_rounds;
    }
}

} // namespace

std::optional<best_arm> best_of(const run_result& run, const std::vector<std::string>& arms,
                                std::string_view base, double margin) {
    const run_row* const reference = run.find(base);
    std::vector<contestant> all;
    for (const std::string& name : arms) {
        const run_row* const row = run.find(name);
        if (row == nullptr || reference == nullptr || !row->is_sound()) {
            continue;
        }
        if (paired_rounds pairs = pair_rounds(*row, *reference, cpu_metric); !pairs.empty()) {
            all.push_back({name, std::move(pairs)});
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    const std::size_t chosen = choose(all, choice_parts, margin);
    best_arm best{all[chosen].name, {}, 0, true};
    paired_rounds estimated;
    for (std::size_t part = 0; part != choice_parts; ++part) {
        const std::size_t by_others = choose(all, part, margin);
        best.is_unanimous = best.is_unanimous && by_others == chosen;
        for (const auto& [round, value] : all[by_others].pairs) {
            if (round % choice_parts == part) {
                estimated[round] = value;
            }
        }
    }
    best.rounds = estimated.size();
    best.saved = saving_of(estimated, run);
    if (!best.is_unanimous) {
        const interval s = saving_of(all[chosen].pairs, run);
        best.saved.low = std::min(best.saved.low, s.low);
        best.saved.high = std::max(best.saved.high, s.high);
    }
    return best;
}

const char* to_string(open_question why) noexcept {
    return word_of(why,
                   {"", "no-candidate", "does-not-work", "too-few-rounds", "too-wide", "incomplete-trace"});
}

namespace {

/// The interval, widened at both ends by what two copies of the plain program certainly differ by in this run.
interval widened_by_control(const run_result& run, interval s) {
    const std::optional<best_arm> control = best_of(run, {default_again_name}, default_name);
    if (control && control->saved.is_known()) {
        const double gap = std::max({0.0, control->saved.low, -control->saved.high});
        s.low -= gap;
        s.high += gap;
    }
    return s;
}

} // namespace

try_judgement judge_decision(const run_result& deciding, const std::vector<std::string>& arms) {
    try_judgement j;
    std::vector<std::string> allocators;
    for (const run_row& row : deciding.rows) {
        if (!row.contender.is_own() && row.contender.name != empty_arm &&
            std::ranges::find(arms, row.contender.name) == arms.end()) {
            allocators.push_back(row.contender.name);
        }
    }
    j.pools = best_of(deciding, arms, default_name);
    std::vector<std::string> saving;
    std::ranges::copy_if(allocators, std::back_inserter(saving),
                         [&](const std::string& name) { return call_of(deciding, name) == verdict::better; });
    j.allocator = best_of(deciding, saving.empty() ? allocators : saving, default_name);
    j.allocator_saves = !saving.empty() && j.allocator && j.allocator->saved.low > 0;
    if (!j.pools) {
        j.open = open_question::does_not_work;
        return j;
    }
    j.pools->saved = widened_by_control(deciding, j.pools->saved);
    answer(j, deciding);
    return j;
}

void judge_explanation(try_judgement& judged, const run_result& explaining,
                       const std::vector<std::string>& parts) {
    if (const auto over = best_of(explaining, {std::string{over_arm}}, default_name);
        over && judged.allocator) {
        judged.over = over->saved;
        if (const auto more = best_of(explaining, {std::string{over_arm}}, judged.allocator->name)) {
            judged.over_allocator = more->saved;
        }
    }
    const std::optional<best_arm> better = best_of(explaining, parts, chosen_arm, 0);
    if (!better || !better->saved.is_known() || better->saved.low < least_program_claim) {
        return;
    }
    judged.better = better;
    if (judged.answer == pool_answer::yes) {
        return;
    }
    try_judgement own = judged;
    own.pools = best_of(explaining, parts, default_name, 0);
    own.pools->saved = widened_by_control(explaining, own.pools->saved);
    answer(own, explaining);
    own.is_of_better = true;
    judged = own;
}

bool is_clear(const try_judgement& judged) noexcept {
    return judged.pools && judged.pools->saved.is_known() &&
           std::abs(judged.pools->saved.middle - worth_a_pool) >=
               clear_half_widths * half_width(judged.pools->saved);
}

bool is_precise(const try_judgement& judged, double within) noexcept {
    return judged.pools && judged.pools->saved.is_known() && half_width(judged.pools->saved) <= within;
}

} // namespace linn::tool
