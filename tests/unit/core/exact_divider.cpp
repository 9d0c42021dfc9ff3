// SPDX-License-Identifier: Apache-2.0
// fixed_pool trusts it with every pointer that a program frees: a number that is no multiple must never
// look like a slot.

#include "unit.hpp"

#include <linn/detail/core/exact_divider.hpp>

#include <bit>

namespace core_exact_divider_tests {

using linn::detail::exact_divider;

bool right(std::size_t divisor, std::size_t n) {
    const std::size_t q = exact_divider{divisor}.quotient(n);
    return n % divisor == 0 ? q == n / divisor : q > SIZE_MAX / divisor;
}

TEST_CASE("exact_divider: every small number by every small divisor") {
    for (std::size_t divisor = 1; divisor <= 300; ++divisor) {
        bool all = true;
        for (std::size_t n = 0; n <= 2000; ++n) {
            all = all && right(divisor, n) && right(divisor, SIZE_MAX - n);
        }
        CHECK_MESSAGE(all, "divisor ", divisor);
    }
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

} // namespace core_exact_divider_tests
