// SPDX-License-Identifier: Apache-2.0
// A stack that moves many pointers at once, compared with a vector.
#include "random.hpp"

#include <linn/detail/core/pointer_stack.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace core_pointer_stack_tests {

TEST_CASE("pointer_stack: random runs come back as from a vector") {
    static int objects[4096];
    linn::detail::pointer_stack<int> stack;
    std::vector<int*> shadow;
    linn_test::random_source random{12};
    int* run[200];
    std::size_t deepest = 0;
    for (int step = 0; step < 20'000; ++step) {
        const auto n = static_cast<std::size_t>(random.below(step % 3000 < 1500 ? 200 : 90));
        if (random.below(100) < (step % 3000 < 1500 ? 60U : 40U) && shadow.size() + n <= 4096) {
            for (std::size_t i = 0; i < n; ++i) {
                run[i] = &objects[random.below(4096)];
            }
            REQUIRE(stack.push(run, n) == n);
            shadow.insert(shadow.end(), run, run + n);
        } else if (n <= shadow.size()) {
            stack.pop(run, n);
            const std::vector<int*> wanted(shadow.end() - static_cast<std::ptrdiff_t>(n), shadow.end());
            REQUIRE(std::vector<int*>(run, run + n) == wanted);
            shadow.resize(shadow.size() - n);
        }
        REQUIRE(stack.size() == shadow.size());
        deepest = deepest < shadow.size() ? shadow.size() : deepest;
    }
    CHECK(deepest > 1000);
}

} // namespace core_pointer_stack_tests
