// SPDX-License-Identifier: Apache-2.0
// Durations of every kind as nanoseconds, without the header that has them.
#include "unit.hpp"

#include <linn/detail/core/nanoseconds.hpp>

#include <ratio>

namespace core_nanoseconds_tests {

using linn::detail::nanoseconds;

TEST_CASE("nanoseconds: every unit and representation, rounded up") {
    using namespace std::chrono_literals;
    static_assert(nanoseconds(1ns) == 1);
    static_assert(nanoseconds(3us) == 3'000);
    static_assert(nanoseconds(25ms) == 25'000'000);
    static_assert(nanoseconds(2s) == 2'000'000'000);
    static_assert(nanoseconds(1h) == 3'600'000'000'000);
    static_assert(nanoseconds(std::chrono::duration<double>{0.5}) == 500'000'000);
    static_assert(nanoseconds(std::chrono::duration<float, std::milli>{1.5F}) == 1'500'000);
    static_assert(nanoseconds(std::chrono::duration<int, std::pico>{1}) == 1);
    static_assert(nanoseconds(std::chrono::duration<int, std::pico>{1'001}) == 2);
    static_assert(!linn::detail::duration<int>);
}

TEST_CASE("nanoseconds: what is not a time to wait is none, what is too long is for ever") {
    using namespace std::chrono_literals;
    constexpr std::uint64_t for_ever = ~std::uint64_t{0};
    CHECK(nanoseconds(0s) == 0);
    CHECK(nanoseconds(-5s) == 0);
    CHECK(nanoseconds(std::chrono::nanoseconds::min()) == 0);
    CHECK(nanoseconds(std::chrono::duration<double>{std::numeric_limits<double>::quiet_NaN()}) == 0);
    CHECK(nanoseconds(std::chrono::hours::max()) == for_ever);
    CHECK(nanoseconds(std::chrono::nanoseconds::max()) == for_ever);
    CHECK(nanoseconds(std::chrono::duration<double>{std::numeric_limits<double>::infinity()}) == for_ever);
}

} // namespace core_nanoseconds_tests
