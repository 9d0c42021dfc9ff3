// SPDX-License-Identifier: Apache-2.0
// The simulation behind linn-bench-saturation, where queueing theory knows the answer.
#include "../../../bench/saturation/queueing.hpp"

#include "unit.hpp"

namespace linn::tool::queueing_tests {

using namespace linn::bench::saturation;

/// Thinks nine times as long as it holds its lock.
const recording one_in_ten{{{0, 900, 100}}};

TEST_CASE("below saturation threads do not meet, above it the lock sets the pace") {
    CHECK(simulate(one_in_ten, 1, 1'000, {}).speed == doctest::Approx(1));
    CHECK(simulate(one_in_ten, 1, 1'000, {}).busiest == doctest::Approx(0.1));
    CHECK(simulate(one_in_ten, 1, 1'000, {}).waited == 0);
    // All arrive at once, so they wait once, and never meet again.
    CHECK(simulate(one_in_ten, 5, 10'000, {}).speed == doctest::Approx(5).epsilon(0.01));
    CHECK(simulate(one_in_ten, 10, 10'000, {}).speed == doctest::Approx(10).epsilon(0.01));
    for (const std::size_t threads : {16u, 64u, 256u}) {
        const auto e = simulate(one_in_ten, threads, 2'000, {});
        CHECK(e.speed == doctest::Approx(10).epsilon(0.02));
        CHECK(e.busiest == doctest::Approx(1).epsilon(0.02));
        CHECK(e.waited == doctest::Approx(1 - 10.0 / static_cast<double>(threads)).epsilon(0.05));
    }
}

TEST_CASE("a lock that another thread had costs the way of its line") {
    // 100 + 100 ns a visit: half as many.
    CHECK(simulate(one_in_ten, 64, 2'000, {100}).speed == doctest::Approx(5).epsilon(0.02));
    CHECK(simulate(one_in_ten, 1, 100, {100}).speed == doctest::Approx(1));
}

TEST_CASE("locks that different threads visit do not hold each other up") {
    const recording own{{{0, 0, 100}}, {{1, 0, 100}}, {{2, 0, 100}}};
    CHECK(simulate(own, 3, 1'000, {}).speed == doctest::Approx(3));
    CHECK(simulate(own, 6, 1'000, {}).speed == doctest::Approx(3)); // two at each
}

TEST_CASE("a thread that replays a sequence begins elsewhere, and comes around") {
    const recording mixed{{{0, 1'000, 10}, {1, 10, 200}, {0, 300, 40}}};
    const auto once = simulate(mixed, 7, 999, {30});
    const auto again = simulate(mixed, 7, 999, {30});
    CHECK(once.speed == again.speed);
    CHECK(once.waited == again.waited);
    CHECK(once.speed > 4);
    CHECK(once.speed <= 7);
    // The busiest lock can do no more than it is held: 200 + 30 ns of 1560, but for visits that the end cuts off.
    CHECK(simulate(mixed, 256, 900, {30}).speed <= 1'560.0 / 230 * 1.08);
    CHECK(simulate(mixed, 256, 900, {30}).busiest > 0.98);
}

} // namespace linn::tool::queueing_tests
