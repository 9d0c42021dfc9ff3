// SPDX-License-Identifier: Apache-2.0
#include "judgement.hpp"

#include "../advise/verdict.hpp"
#include "../run/judge.hpp"
#include "arms.hpp"

#include <cmath>

namespace linn::tool {
namespace {

constexpr double clear_half_widths = 3;
constexpr double precise_half_width = 0.0025;

double half_width(const saving& s) {
    return (s.high - s.low) / 2;
}

verdict call_of(const run_result& run, const std::string& arm) {
    const run_row* const row = run.find(arm);
    const estimate* const e = row == nullptr ? nullptr : row->find_estimate(cpu_metric);
    return e == nullptr ? verdict::not_judged : e->call;
}

void answer(try_judgement& j, const run_result& run) {
    const saving& s = j.pools->saved;
    const verdict call = call_of(run, j.pools->name);
    j.saves = s.is_known() && s.low > 0 && call == verdict::better;
    j.costs = s.is_known() && s.high < 0 && call == verdict::worse;
    j.open = open_question::none;
    if (!s.is_known()) {
        j.answer = pool_answer::not_known;
        j.open = open_question::too_few_rounds;
    } else if (s.high < worth_a_pool) {
        j.answer = pool_answer::no;
    } else if (s.low >= worth_a_pool && j.saves) {
        j.answer = pool_answer::yes;
    } else {
        j.answer = pool_answer::not_known;
        j.open = open_question::too_wide;
    }
}

} // namespace

const char* to_string(open_question why) noexcept {
    switch (why) {
    case open_question::none:
        break;
    case open_question::no_candidate:
        return "no-candidate";
    case open_question::does_not_work:
        return "does-not-work";
    case open_question::too_few_rounds:
        return "too-few-rounds";
    case open_question::too_wide:
        return "too-wide";
    case open_question::incomplete_trace:
        return "incomplete-trace";
    }
    return "";
}

try_judgement judge_decision(const run_result& deciding, const std::vector<std::string>& arms,
                             const choice_options& options) {
    try_judgement j;
    std::vector<std::string> allocators;
    for (const run_row& row : deciding.rows) {
        if (!row.contender.is_own() && row.contender.name != empty_arm &&
            std::ranges::find(arms, row.contender.name) == arms.end()) {
            allocators.push_back(row.contender.name);
        }
    }
    j.pools = best_of(deciding, arms, default_name, options);
    j.allocator = best_of(deciding, allocators, default_name, options);
    if (!j.pools) {
        j.open = open_question::does_not_work;
        return j;
    }
    j.pools->saved = widened_by_control(deciding, j.pools->saved, options);
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
    const std::optional<best_arm> better = best_of(explaining, parts, chosen_arm, {.margin = 0});
    if (!better || !better->saved.is_known() || better->saved.low < least_program_claim) {
        return;
    }
    judged.better = better;
    if (judged.answer == pool_answer::yes) {
        return;
    }
    try_judgement own = judged;
    own.pools = best_of(explaining, parts, default_name, {.margin = 0});
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

bool is_precise(const try_judgement& judged) noexcept {
    return judged.pools && judged.pools->saved.is_known() &&
           half_width(judged.pools->saved) <= precise_half_width;
}

} // namespace linn::tool
