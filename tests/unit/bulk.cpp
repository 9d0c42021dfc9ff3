// SPDX-License-Identifier: Apache-2.0
// Promise: allocate_n and deallocate_n take as few locks as single calls, and hand out neighbours. That they do what as many
// single calls would: tests/fuzz. What fails half way is in process/error_nth_request.cpp.
#include "misuse_recorder.hpp"
#include "process_pool.hpp"
#include "unit.hpp"

#include <linn/local_pool.hpp>

namespace bulk_tests {

template <int>
struct item {
    char bytes[40];
};

bool pooling() {
    return !linn::detail::sanitizer_bypass && !linn::detail::running_on_memcheck();
}

template <int N>
using shared_pool = linn_test::process_pool<item<N>>;
template <int N>
using own_pool = linn::local_pool<item<N>>;

TEST_CASE("bulk: a magazine is moved whole, with as few visits to the depot as single calls make") {
    using pool = linn::pool<item<4>>;
    if (!pooling() || linn::detail::checked_build || !linn::detail::threads_hold_fronts) {
        return; // there are no magazines
    }
    std::vector<item<4>*> burst(10'000);
    const auto visits = [] { return pool::statistics().depot_visits; };
    pool::allocate_n(burst);
    pool::deallocate_n(burst);
    std::size_t before = visits();
    for (item<4>*& p : burst) {
        p = pool::allocate();
    }
    for (item<4>* p : burst) {
        pool::deallocate(p);
    }
    const std::size_t single = visits() - before;
    before = visits();
    pool::allocate_n(burst);
    pool::deallocate_n(burst);
    CHECK(visits() - before <= single + 2);
    // What fits into the caches needs none.
    pool::allocate_n(std::span{burst}.first(50));
    before = visits();
    for (int i = 0; i < 100; ++i) {
        pool::deallocate_n(std::span{burst}.first(50));
        pool::allocate_n(std::span{burst}.first(50));
    }
    CHECK(visits() - before <= 2);
    pool::deallocate_n(std::span{burst}.first(50));
}

TEST_CASE("bulk: fresh objects lie one after the other, and the same run comes back in the same order") {
    if (!pooling() || linn::detail::checked_build) {
        return;
    }
    const auto ascending = [](const auto& run) {
        std::size_t n = 0;
        for (std::size_t i = 1; i < run.size(); ++i) {
            n += run[i] == run[i - 1] + 1 ? 1U : 0U;
        }
        return n;
    };
    shared_pool<20> shared;
    std::vector<item<20>*> a(1000);
    shared.allocate_n(a);
    CHECK(ascending(a) >= 990); // a slab may end
    shared.deallocate_n(a);
    shared.allocate_n(a);
    CHECK(ascending(a) >= 900); // magazine by magazine

    own_pool<21> own;
    std::vector<item<21>*> b(1000);
    own.allocate_n(b);
    CHECK(ascending(b) >= 980);
    own.deallocate_n(b);
}

} // namespace bulk_tests
