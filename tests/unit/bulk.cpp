// SPDX-License-Identifier: Apache-2.0
// Promise: allocate_n and deallocate_n do what as many single calls would, for any number, with any
// state of the caches before, mixed with single calls and other threads; and without their locks.
//
// What fails half way is in process/error_page_source.cpp.
#include "misuse_recorder.hpp"
#include "process_pool.hpp"
#include "unit.hpp"

#include <linn/local_pool.hpp>

namespace bulk_tests {

using linn_test::random_source;

template <int>
struct item {
    std::size_t stamp;
    char rest[32];
};

bool pooling() {
    return !linn::detail::sanitizer_bypass && !linn::detail::running_on_memcheck();
}

template <int N>
using shared_pool = linn_test::process_pool<item<N>>;
template <int N>
using own_pool = linn::local_pool<item<N>>;

template <class Pool>
void against_single_calls(Pool& pool, std::uint64_t seed, std::size_t steps) {
    using type = typename Pool::value_type;
    random_source random{seed};
    std::vector<type*> live;
    std::set<type*> distinct;
    const auto sizes = {0U, 1U, 2U, 3U, 63U, 64U, 127U, 128U, 129U, 300U, 700U, 2500U};
    for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t n = *(sizes.begin() + random.below(sizes.size()));
        switch (random.below(6)) {
        case 0:
        case 1: {
            std::vector<type*> fresh(n);
            pool.allocate_n(fresh);
            live.insert(live.end(), fresh.begin(), fresh.end());
            break;
        }
        case 2:
            for (std::size_t i = 0; i < n % 200; ++i) {
                live.push_back(pool.allocate());
            }
            break;
        case 3: {
            // The last ones, or some from all over.
            const std::size_t m = std::min(n, live.size());
            if (random.below(2) == 0) {
                std::shuffle(live.begin(), live.end(), random);
            }
            for (std::size_t i = live.size() - m; i < live.size(); ++i) {
                CHECK(live[i]->stamp == reinterpret_cast<std::uintptr_t>(live[i]));
            }
            pool.deallocate_n(std::span{live}.last(m));
            live.resize(live.size() - m);
            break;
        }
        case 4:
            for (std::size_t i = 0; i < n % 200 && !live.empty(); ++i) {
                pool.deallocate(live.back());
                live.pop_back();
            }
            break;
        default:
            if (random.below(8) == 0) {
                pool.trim();
            }
        }
        for (type* p : live) {
            p->stamp = reinterpret_cast<std::uintptr_t>(p);
        }
        REQUIRE(pool.statistics().live == live.size());
        distinct.clear();
        distinct.insert(live.begin(), live.end());
        REQUIRE(distinct.size() == live.size());
    }
    pool.deallocate_n(live);
    CHECK(pool.statistics().live == 0);
}

TEST_CASE("bulk: a pool, against single calls") {
    linn_test::misuse_recorder recorder;
    shared_pool<1> pool;
    against_single_calls(pool, 1, 200);
    CHECK(recorder.take().empty());
}

TEST_CASE("bulk: a local_pool, against single calls") {
    linn_test::misuse_recorder recorder;
    own_pool<2> pool;
    against_single_calls(pool, 2, 200);
    pool.trim();
    CHECK(pool.statistics().slabs == 0);
    CHECK(recorder.take().empty());
}

TEST_CASE("bulk: objects move between threads in bursts") {
    using pool = linn::pool<item<3>>;
    for (int round = 0; round < 20; ++round) {
        std::vector<item<3>*> burst(1000);
        pool::allocate_n(burst);
        std::thread{[&] { pool::deallocate_n(burst); }}.join();
    }
    CHECK(pool::statistics().live == 0);
    if (pooling()) {
        CHECK(pool::statistics().reserved_bytes <= 4000 * pool::statistics().slot_bytes + (128 << 10));
    }
}

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

TEST_CASE("bulk: const objects, and a double free among many") {
    using constant = linn::pool<const item<6>>;
    const item<6>* some[10];
    constant::allocate_n(some);
    constant::deallocate_n(some);
    CHECK(constant::statistics().live == 0);

    linn_test::misuse_recorder recorder;
    linn::local_pool<item<7>> local;
    std::vector<item<7>*> all(500);
    local.allocate_n(all);
    item<7>* const kept = all.back();
    all.back() = all[17];
    local.deallocate_n(all);
    local.trim();
    if (!linn::detail::sanitizer_poison) {
        const auto seen = recorder.take();
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].kind == linn::misuse_kind::double_free);
        CHECK(seen[0].address == all[17]);
    }
    CHECK(local.live() == 1);
    local.deallocate(kept);
}

} // namespace bulk_tests
