// SPDX-License-Identifier: Apache-2.0
#include "bench/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>

using namespace linn::tool;

TEST_CASE("every contender runs every scenario once a round") {
    const auto plan = make_plan(5, 2, 7, 42);
    REQUIRE(plan.size() == 5u * 2u * 7u);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> runs;
    for (std::size_t i = 0; i != plan.size(); ++i) {
        CHECK(plan[i].round == i / 10); // a round is complete before the next begins
        ++runs[{plan[i].contender, plan[i].scenario}];
    }
    CHECK(runs.size() == 10);
    for (const auto& [cell, count] : runs)
        CHECK(count == 7);
}

TEST_CASE("the order is random, differs by round, and repeats with the seed") {
    const auto plan = make_plan(8, 2, 4, 1);
    CHECK(plan == make_plan(8, 2, 4, 1));
    CHECK(plan != make_plan(8, 2, 4, 2));

    const auto same = [&](std::size_t a, std::size_t b) {
        for (std::size_t i = 0; i != 16; ++i)
            if (plan[a * 16 + i].contender != plan[b * 16 + i].contender ||
                plan[a * 16 + i].scenario != plan[b * 16 + i].scenario)
                return false;
        return true;
    };
    CHECK_FALSE(same(0, 1));
    CHECK_FALSE(same(1, 2));
    CHECK_FALSE(same(2, 3));
}

TEST_CASE("no contender has a favourite place in the order") {
    const std::size_t rounds = 600;
    const auto plan = make_plan(6, 1, rounds, 3);
    std::map<std::size_t, std::size_t> first;
    for (std::size_t r = 0; r != rounds; ++r)
        ++first[plan[r * 6].contender];
    REQUIRE(first.size() == 6);
    for (const auto& [contender, count] : first) { // expected 100, five standard deviations are 46
        CHECK(count > 54);
        CHECK(count < 146);
    }
}

TEST_CASE("an empty plan is empty") {
    CHECK(make_plan(0, 2, 3, 1).empty());
}
