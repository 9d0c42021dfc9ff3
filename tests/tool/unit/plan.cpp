// SPDX-License-Identifier: Apache-2.0
#include "experiment/rounds.hpp"
#include "unit.hpp"

namespace linn::tool::plan_tests {

TEST_CASE("every job runs once a round") {
    const auto plan = make_plan(10, 7, 42);
    REQUIRE(plan.size() == 10u * 7u);
    std::map<std::size_t, std::size_t> runs;
    for (std::size_t i = 0; i != plan.size(); ++i) {
        CHECK(plan[i].round == i / 10); // a round is complete before the next begins
        ++runs[plan[i].job];
    }
    CHECK(runs.size() == 10);
    for (const auto& [job, count] : runs) {
        CHECK(count == 7);
    }
}

TEST_CASE("the order is random, differs by round, and repeats with the seed") {
    const auto plan = make_plan(16, 4, 1);
    CHECK(plan == make_plan(16, 4, 1));
    CHECK(plan != make_plan(16, 4, 2));

    const auto same = [&](std::size_t a, std::size_t b) {
        for (std::size_t i = 0; i != 16; ++i) {
            if (plan[a * 16 + i].job != plan[b * 16 + i].job) {
                return false;
            }
        }
        return true;
    };
    CHECK_FALSE(same(0, 1));
    CHECK_FALSE(same(1, 2));
    CHECK_FALSE(same(2, 3));
}

TEST_CASE("no job has a favourite place in the order") {
    const std::size_t rounds = 600;
    const auto plan = make_plan(6, rounds, 3);
    std::map<std::size_t, std::size_t> first;
    for (std::size_t r = 0; r != rounds; ++r) {
        ++first[plan[r * 6].job];
    }
    REQUIRE(first.size() == 6);
    for (const auto& [job, count] : first) { // expected 100, five standard deviations are 46
        CHECK(count > 54);
        CHECK(count < 146);
    }
}

} // namespace linn::tool::plan_tests
