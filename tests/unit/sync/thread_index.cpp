// SPDX-License-Identifier: Apache-2.0
// Numbers of threads: never shared by two that live, reused when one ends, none when there are too many.
#include "test_policy.hpp"
#include "unit.hpp"

#include <linn/detail/sync/thread_exit.hpp>

namespace sync_thread_index_tests {

using linn::detail::platform;
using table = linn::detail::thread_index_table<platform>;

std::uint32_t mine() {
    return linn::detail::thread_index<platform>();
}

TEST_CASE("thread_index: a thread that ends leaves its number to the next, and what it wrote under it") {
    std::vector<std::unique_ptr<int>> cache(table::most + 1);
    for (int i = 0; i < 3 * static_cast<int>(table::most); ++i) {
        std::thread{[&] {
            const std::uint32_t n = mine();
            REQUIRE((n < table::most) == linn::detail::thread_locals_last);
            // Not atomic: ThreadSanitizer sees whether the hand-over is ordered.
            cache[n] = std::make_unique<int>(cache[n] != nullptr ? *cache[n] + 1 : 0);
        }}.join();
    }
}

TEST_CASE("thread_index: the table gives each number once, then none") {
    static linn::detail::thread_index_table<linn_test::test_policy<struct table_tag>> numbers;
    for (std::uint32_t i = 0; i < table::most; ++i) {
        REQUIRE(numbers.take() == i);
    }
    CHECK(numbers.take() == table::most);
    numbers.give_back(70);
    numbers.give_back(3);
    CHECK(numbers.take() == 3);
    CHECK(numbers.take() == 70);
    CHECK(numbers.take() == table::most);
}

std::uint32_t in_destructor = 0;

struct asks_late {
    bool used = false;
    ~asks_late() { in_destructor = mine(); }
};
thread_local asks_late late;

TEST_CASE("thread_index: a destructor that runs after the number was given back gets none") {
    std::thread{[] {
        late.used = true; // constructed first, and so destroyed last
        mine();
    }}.join();
    CHECK(in_destructor == table::most);
}

} // namespace sync_thread_index_tests
