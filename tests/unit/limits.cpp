// SPDX-License-Identifier: Apache-2.0
// Promise: a pool with max_objects or max_bytes hands out exactly so much, to all threads together. An object that any
// thread freed can be had by any other at once, and a refusal changes nothing.
//
// Breaks when threads cache objects of such a pool (one that is free, but in another thread's magazine, is then refused), or
// when a call that fails holds objects for a moment.
#include "unit.hpp"
#include "worker.hpp"

#include <linn/allocator.hpp>
#include <linn/containers.hpp>
#include <linn/local_pool.hpp>
#include <linn/pool.hpp>

namespace limits_tests {
struct item {
    std::size_t words[6];
};
struct byte_wide {
    unsigned char value;
};
template <int>
struct kind { // a pool of its own for each test
    std::size_t words[6];
};
} // namespace limits_tests

namespace limits_tests {

template <int N, std::size_t Most>
using at_most = linn::pool<kind<N>, linn::pool_options{.max_objects = Most}>;

constexpr std::size_t kib = 1024;
template <int N, std::size_t Bytes>
using at_most_bytes = linn::pool<kind<N>, linn::pool_options{.max_bytes = Bytes}>;

using linn_test::pooling;

/// Everything that there is to be had.
template <class Pool>
std::vector<typename Pool::value_type*> take_all() {
    std::vector<typename Pool::value_type*> all;
    while (auto* p = Pool::try_allocate()) {
        all.push_back(p);
        REQUIRE(all.size() < 1'000'000);
    }
    return all;
}

TEST_CASE("limits: a pair takes no longer in a slab with one survivor at its end") {
    using pool = linn::pool<byte_wide, linn::pool_options{.slab_bytes = 1 << 21, .max_objects = 1 << 22}>;
    using steady = std::chrono::steady_clock;
    const auto shortest = [] {
        auto best = steady::duration::max();
        for (int round = 0; round != 20; ++round) {
            const auto begin = steady::now();
            for (int i = 0; i != 200; ++i) {
                pool::deallocate(pool::allocate());
            }
            best = (std::min)(best, steady::now() - begin);
        }
        return best;
    };
    const auto fresh = shortest();
    std::vector<byte_wide*> all(3'900'000);
    pool::allocate_n(all);
    pool::deallocate_n(std::span{all}.first(all.size() - 1));
    CHECK(shortest() < 8 * fresh);
    pool::deallocate(all.back());
}

TEST_CASE("limits: the object after the last one is refused, and nothing changes") {
    using pool = at_most<0, 10>;
    auto all = take_all<pool>();
    CHECK(all.size() == 10);
    CHECK_THROWS_AS(static_cast<void>(pool::allocate()), std::bad_alloc);
    CHECK(pool::statistics().live == 10);
    pool::deallocate(all.back());
    all.back() = pool::allocate();
    CHECK(pool::try_allocate() == nullptr);
    pool::deallocate_n(all);
    CHECK(pool::statistics().live == 0);
    CHECK(pool::statistics().cached == 0);
    pool::trim();
    all = take_all<pool>();
    CHECK(all.size() == 10);
    pool::deallocate_n(all);
}

TEST_CASE("limits: what any thread frees, any other gets at once") {
    using pool = at_most<1, 300>;
    std::vector<kind<1>*> all(300);
    pool::allocate_n(all);
    linn_test::worker other; // alive, with whatever it would cache
    other.run_here([&] {
        for (std::size_t i = 0; i != 200; ++i) {
            pool::deallocate(all[i]);
        }
    });
    for (std::size_t i = 0; i != 200; ++i) {
        all[i] = pool::try_allocate();
        REQUIRE(all[i] != nullptr);
    }
    CHECK(pool::try_allocate() == nullptr);
    other.run_here([&] {
        CHECK(pool::try_allocate() == nullptr);
        pool::deallocate_n(all);
        CHECK(take_all<pool>().size() == 300);
    });
    CHECK(pool::try_allocate() == nullptr);
    CHECK(pool::for_each_live([](kind<1>& object) { pool::destroy(&object); }) == 300);
}

TEST_CASE("limits: threads that together hold fewer than the limit are never refused, and never hold more") {
    constexpr std::size_t threads = 4;
    constexpr std::size_t each = 25;
    using pool = at_most<2, threads * each>;
    std::atomic<std::size_t> live{0};
    std::atomic<std::size_t> refused{0};
    std::atomic<std::size_t> too_many{0};
    const auto work = [&](std::size_t seed) {
        std::vector<kind<2>*> held;
        for (std::size_t round = 0; round != 3000; ++round) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            const bool more = held.empty() || (held.size() != each && (seed >> 60) < 8);
            if (more) {
                kind<2>* p = pool::try_allocate();
                if (p == nullptr) {
                    ++refused;
                    continue;
                }
                too_many += ++live > threads * each ? 1U : 0U;
                held.push_back(p);
            } else {
                --live;
                pool::deallocate(held.back());
                held.pop_back();
            }
        }
        live -= held.size();
        pool::deallocate_n(held);
    };
    linn_test::in_threads(threads, work);
    CHECK(refused == 0);
    CHECK(too_many == 0);
    CHECK(pool::statistics().peak <= threads * each);
    CHECK(pool::statistics().live == 0);
}

TEST_CASE("limits: many at once are all or none, and a call that fails holds nothing meanwhile") {
    using pool = at_most<3, 200>;
    std::vector<kind<3>*> some(150);
    pool::allocate_n(some);
    std::vector<kind<3>*> more(51);
    const std::size_t visits = pool::statistics().depot_visits;
    CHECK_THROWS_AS(pool::allocate_n(more), std::bad_alloc);
    if (pooling()) {
        CHECK(pool::statistics().depot_visits == visits + 1); // under one lock
    }
    CHECK(pool::statistics().live == 150);
    more.resize(50);
    pool::allocate_n(more);
    std::vector<kind<3>*> both = some;
    both.insert(both.end(), more.begin(), more.end());
    std::sort(both.begin(), both.end());
    CHECK(std::adjacent_find(both.begin(), both.end()) == both.end());
    pool::deallocate_n(more);

    std::atomic<bool> stop{false};
    std::thread greedy{[&] {
        std::vector<kind<3>*> wanted(100);
        while (!stop) {
            CHECK_THROWS_AS(pool::allocate_n(wanted), std::bad_alloc);
        }
    }};
    std::size_t refused = 0;
    for (int i = 0; i != 50'000; ++i) {
        kind<3>* p = pool::try_allocate();
        refused += p == nullptr ? 1U : 0U;
        if (p != nullptr) {
            pool::deallocate(p);
        }
    }
    stop = true;
    greedy.join();
    CHECK(refused == 0);
    CHECK(pool::statistics().peak == 200);
    pool::deallocate_n(some);
}

TEST_CASE("limits: slabs take max_bytes and no more, and each of their slots can be had by any thread") {
    using pool = at_most_bytes<5, 200 * kib + 123>;
    auto all = take_all<pool>();
    const auto s = pool::statistics();
    const std::size_t most = 200 * kib / s.slot_bytes;
    CHECK(all.size() <= most);
    if (pooling()) {
        CHECK(s.reserved_bytes == 200 * kib); // to the page: the last slab is what is left
        CHECK(all.size() >= most * 95 / 100);
    }
    CHECK_THROWS_AS(static_cast<void>(pool::allocate()), std::bad_alloc);
    linn_test::worker other;
    other.run_here([&] {
        for (std::size_t i = 0; i != 700; ++i) {
            pool::deallocate(all[i]);
        }
    });
    for (std::size_t i = 0; i != 700; ++i) {
        all[i] = pool::try_allocate();
        REQUIRE(all[i] != nullptr);
    }
    CHECK(pool::try_allocate() == nullptr);
    pool::deallocate_n(all);
    pool::trim();
    CHECK(take_all<pool>().size() == all.size());
    CHECK(pool::statistics().reserved_bytes <= 200 * kib);
    CHECK(pool::for_each_live([](kind<5>& object) { pool::destroy(&object); }) == all.size());
    CHECK_THROWS_AS(pool::reserve(all.size() + 1), std::bad_alloc);
    pool::reserve(all.size());
}

TEST_CASE("limits: of a local_pool, its cache included") {
    linn::local_pool<item, linn::pool_options{.max_objects = 700}> pool;
    std::vector<item*> all(700);
    pool.allocate_n(all);
    CHECK(pool.try_allocate() == nullptr);
    for (std::size_t i = 0; i != 300; ++i) {
        pool.deallocate(all[i]);
    }
    std::vector<item*> more(301);
    CHECK_THROWS_AS(pool.allocate_n(more), std::bad_alloc);
    CHECK(pool.live() == 400);
    CHECK_THROWS_AS(pool.reserve(301), std::bad_alloc);
    pool.reserve(300);
    for (std::size_t i = 0; i != 300; ++i) {
        all[i] = pool.allocate();
    }
    CHECK_THROWS_AS(static_cast<void>(pool.allocate()), std::bad_alloc);
    CHECK(pool.live() == 700);
    pool.release();
    CHECK(pool.live() == 0);
    pool.allocate_n(all);
    CHECK(pool.try_allocate() == nullptr);
    pool.release();
}

TEST_CASE("limits: max_bytes of a local_pool") {
    linn::local_pool<item, linn::pool_options{.max_bytes = 50 * kib}> pool;
    std::size_t n = 0;
    while (pool.try_allocate() != nullptr) {
        ++n;
    }
    CHECK(pool.statistics().reserved_bytes == 48 * kib); // whole pages
    CHECK(n >= 48 * kib / pool.statistics().slot_bytes * 9 / 10);
    CHECK(n <= 48 * kib / pool.statistics().slot_bytes);
    pool.release();
    CHECK_THROWS_AS(pool.reserve(n + 1), std::bad_alloc);
    pool.reserve(n);
    CHECK(pool.statistics().reserved_bytes == 48 * kib);
    CHECK(pool.trim() == 48 * kib);
    std::size_t again = 0;
    while (pool.try_allocate() != nullptr) {
        ++again;
    }
    CHECK(again >= n * 9 / 10); // its slabs may come in other sizes
    pool.release();
}

} // namespace limits_tests
