// SPDX-License-Identifier: Apache-2.0
// Division without dividing, durations without <chrono>, and the classes of sizes.
#include "unit.hpp"

#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/size_classes.hpp>
#include <linn/recycler.hpp>

#include <bit>
#include <ratio>

namespace core_arithmetic_tests {

using namespace linn::detail;

// fixed_pool trusts it with every pointer that a program frees: a number that is no multiple must never
// look like a slot.
bool right(std::size_t divisor, std::size_t n) {
    const std::size_t q = exact_divider{divisor}.quotient(n);
    return n % divisor == 0 ? q == n / divisor : q > SIZE_MAX / divisor;
}

TEST_CASE("exact_divider: numbers of every magnitude") {
    linn_test::random_source random{3};
    bool all = true;
    for (int round = 0; round < 200'000 && all; ++round) {
        const std::size_t divisor = (static_cast<std::size_t>(random()) >> random.below(64)) | 1;
        const std::size_t shifted =
            divisor << random.below(static_cast<std::uint32_t>(std::countl_zero(divisor)) + 1);
        const auto any = static_cast<std::size_t>(random());
        for (const std::size_t d : {divisor, shifted}) {
            const std::size_t multiple = any / d * d;
            all = all && right(d, any) && right(d, multiple) && right(d, multiple + 1) &&
                  right(d, multiple - 1) && right(d, 0) && right(d, d) && right(d, SIZE_MAX / d * d);
        }
        CHECK_MESSAGE(all, "divisors ", divisor, " ", shifted, " number ", any);
    }
}

static_assert(exact_divider{48}.quotient(48 * 7) == 7);
static_assert(exact_divider{48}.quotient(48 * 7 + 16) > SIZE_MAX / 48);
static_assert(exact_divider{1}.quotient(SIZE_MAX) == SIZE_MAX);
static_assert(exact_divider{64}.quotient(63) > SIZE_MAX / 64);

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

TEST_CASE("size_classes: ascending, and each size has the smallest class that holds it") {
    for (unsigned c = 1; c < size_class_count; ++c) {
        CHECK(class_bytes(c) > class_bytes(c - 1));
    }
    unsigned expected = 0;
    for (std::size_t n = 1; n <= largest_class_bytes; ++n) {
        if (n > class_bytes(expected)) {
            ++expected;
        }
        REQUIRE(class_of(n) == expected);
    }
    CHECK(expected == size_class_count - 1);
}

TEST_CASE("size_classes: at most 7 bytes or a quarter too large") {
    for (std::size_t n = 1; n <= largest_class_bytes; ++n) {
        const std::size_t waste = class_bytes(class_of(n)) - n;
        REQUIRE((waste <= 7 || waste * 4 <= n));
    }
}

TEST_CASE("size_classes: a size that is a multiple of an alignment gets slots with that alignment") {
    for (std::size_t align = 1; align <= largest_class_bytes; align *= 2) {
        for (std::size_t n = align; n <= largest_class_bytes; n += align) {
            REQUIRE(class_align(class_of(n)) % align == 0);
        }
    }
}

} // namespace core_arithmetic_tests
