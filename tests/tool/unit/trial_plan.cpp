// SPDX-License-Identifier: Apache-2.0
// How a trial spends its budget: whatever a run takes, all parts that are planned have the rounds that a claim takes. A program of
// 2 s once had no room for variants, nor for an answer within three minutes.
#include "try/trial_plan.hpp"

#include <doctest/doctest.h>

namespace linn::tool::trial_plan_tests {

trial_wishes wishes_of(double seconds_a_run) {
    trial_wishes w;
    w.candidates = 7;
    w.rivals = 4;
    w.variants = 3;
    w.seconds_a_run = seconds_a_run;
    return w;
}

TEST_CASE("a quick program is measured with everything") {
    const trial_plan all{7, true, 4, 3, true};
    CHECK(plan_trial(wishes_of(0.1)) == all);
    CHECK(plan_trial(wishes_of(0)) == all); // not known
    trial_wishes given = wishes_of(100);
    given.budget = 0; // the number of rounds is given
    CHECK(plan_trial(given) == all);
    CHECK(all.arms_alone() == 9);
    CHECK(all.arms_together() == 10);
    CHECK(all.arms_further() == 8);
}

TEST_CASE("a program of 2 s has an answer in three minutes, with a variant and the pools over an allocator") {
    const trial_wishes w = wishes_of(2);
    const trial_plan plan = plan_trial(w);
    CHECK(seconds_of_plan(plan, w) <= 180);
    CHECK(plan.variants >= 1);
    CHECK(plan.has_both);
    CHECK(plan.rivals >= 1);
    CHECK(seconds_for_all(w) > 180);
}

TEST_CASE("every plan keeps the budget, and a quicker program has no less of the variants") {
    std::size_t most = 3;
    for (double seconds = 0.05; seconds < 20; seconds *= 1.05) {
        CAPTURE(seconds);
        const trial_wishes w = wishes_of(seconds);
        const trial_plan plan = plan_trial(w);
        const bool is_least =
            plan.alone == 0 && plan.rivals == 1 && plan.arms_further() == 0 && !plan.explains;
        CHECK((seconds_of_plan(plan, w) <= w.budget || is_least));
        CHECK(plan.variants <= most);
        CHECK(plan.alone != 1);
        most = plan.variants;
    }
    CHECK(most == 0);
}

TEST_CASE("what there is not is not planned") {
    trial_wishes w;
    w.seconds_a_run = 0.1;
    CHECK(plan_trial(w) == trial_plan{0, true, 0, 0, false}); // one type, no allocator, no variant
    CHECK(plan_trial(w).arms_alone() == 0);
    CHECK(plan_trial(w).arms_further() == 0);
    w.rivals = 1;
    CHECK(plan_trial(w).arms_further() == 4);
}

TEST_CASE("a part takes the rounds in which all on one side are a claim") {
    CHECK(runs_to_claim(0, 0.95) == 0); // no such part
    CHECK(runs_to_claim(2, 0.95) == 0); // the plain program and its control: nothing to claim
    CHECK(runs_to_claim(3, 0.95) == 3 * 6);
    CHECK(runs_to_claim(12, 0.95) == 12 * 9); // 10 contenders: 10 * 2 / 2^8 is above 0.05
}

} // namespace linn::tool::trial_plan_tests
