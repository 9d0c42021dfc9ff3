// SPDX-License-Identifier: Apache-2.0
// The schedule knows the time left before every cell has run, and how much of it repetitions may take. That whole rounds fit
// the budget is shown by rounds.cpp.
#include "bench/scenario.hpp"
#include "experiment/rounds.hpp"
#include "unit.hpp"

namespace linn::tool::schedule_tests {

TEST_CASE("the time left is right as soon as one cell of each group has run") {
    // Group 0 is three times slower than guessed, group 1 twice as fast; the cells of a group differ as guessed.
    const std::vector<schedule::guess> guesses{{0, 1}, {0, 2}, {0, 1}, {1, 10}, {1, 10}};
    schedule times{{4, 4, 0}, guesses};
    const std::vector<cell> round{{0, 0}, {0, 3}, {0, 1}, {0, 2}, {0, 4}};
    times.took(0, 3);
    times.took(3, 5);
    const std::span rest = std::span{round}.subspan(2);
    CHECK(times.round_seconds() == doctest::Approx(22));
    CHECK(times.seconds_left(rest, 0, 8) == doctest::Approx(6 + 3 + 5 + 3 * 22));
}

TEST_CASE("the time left counts only rounds that will fit") {
    schedule times{{2, 100, 100}, {{0, 1}, {0, 1}}};
    times.took(0, 10);
    times.took(1, 10);
    const std::vector<cell> next{{1, 0}, {1, 1}};
    // 20 s are over, this round takes 20 more, and three of 20 s end at 100 s.
    CHECK(times.seconds_left(next, 1, 20) == doctest::Approx(80));
    CHECK(times.seconds_left({}, 5, 100) == 0);
}

} // namespace linn::tool::schedule_tests
