// SPDX-License-Identifier: Apache-2.0
// Promise: the division by multiplication equals / for every slot size and offset that a slab can have.
#include "random.hpp"

#include <linn/detail/core/divider.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

namespace core_divider_tests {

using linn::detail::divider;

/// Multiplication by a reciprocal goes wrong next to multiples of the divisor, if anywhere.
bool right_around(std::uint32_t divisor, std::uint32_t n) {
    const divider d{divisor};
    for (std::uint32_t k = n - 2; k != n + 3; ++k) {
        if (d.quotient(k) != k / divisor) {
            return false;
        }
    }
    return true;
}

TEST_CASE("divider: every small number by every small divisor") {
    for (std::uint32_t divisor = 1; divisor <= 300; ++divisor) {
        const divider d{divisor};
        bool right = d.divisor() == divisor;
        for (std::uint32_t n = 0; n <= 2000; ++n) {
            right = right && d.quotient(n) == n / divisor;
        }
        CHECK_MESSAGE(right, "divisor ", divisor);
    }
}

TEST_CASE("divider: around multiples and at the ends of the range") {
    linn_test::random_source random{1};
    bool right = true;
    for (int round = 0; round < 200'000 && right; ++round) {
        // All magnitudes alike, not only those near 2^32.
        auto divisor = static_cast<std::uint32_t>(random()) >> random.below(32);
        divisor = divisor == 0 ? 1 : divisor;
        const auto any = static_cast<std::uint32_t>(random());
        right = right_around(divisor, any / divisor * divisor) && right_around(divisor, UINT32_MAX) &&
                right_around(divisor, divisor) && right_around(divisor, 2);
        CHECK_MESSAGE(right, "divisor ", divisor, " number ", any);
    }
}

TEST_CASE("divider: powers of two, their neighbours and the largest divisor") {
    for (unsigned shift = 0; shift < 32; ++shift) {
        const std::uint32_t power = std::uint32_t{1} << shift;
        for (const std::uint32_t divisor : {power, power + 1, power - 1}) {
            if (divisor != 0) {
                CHECK(right_around(divisor, UINT32_MAX - 2));
                CHECK(right_around(divisor, UINT32_MAX / divisor * divisor));
            }
        }
    }
    CHECK(divider{UINT32_MAX}.quotient(UINT32_MAX) == 1);
    CHECK(divider{UINT32_MAX}.quotient(UINT32_MAX - 1) == 0);
}

static_assert(divider{24}.quotient(24 * 7 + 23) == 7);
static_assert(divider{}.quotient(5) == 5, "a divider that was not set divides by one");

} // namespace core_divider_tests
