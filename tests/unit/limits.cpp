// SPDX-License-Identifier: Apache-2.0
// Promise: a pool with max_objects or max_bytes, a local_pool and a pool_resource likewise, hand out exactly so much, to all
// threads together. An object that any thread freed can be had by any other at once, and a refusal changes nothing.
//
// A pool_resource with max_bytes never has more than that from its upstream and the system, all told; below the limit
// no request fails for memory that another size keeps without using it.
//
// Breaks when threads cache objects of such a pool (one that is free, but in another thread's magazine, is then refused), or
// when a call that fails holds objects for a moment; when empty slabs of other sizes are not given back first, or when bytes stay
// counted that were freed.
#include "counting_resource.hpp"
#include "process_pool.hpp"
#include "unit.hpp"
#include "worker.hpp"

#include <linn/local_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

namespace limits_tests {

struct item {
    std::size_t words[6];
};
struct byte_wide {
    unsigned char value;
};

constexpr std::size_t kib = 1024;
using linn::pool_resource;
using linn_test::counting_resource;
using linn_test::pooling;

/// A resource as a pool of items.
class limited_resource {
public:
    item* try_allocate() {
        try {
            return static_cast<item*>(resource_.allocate(sizeof(item), alignof(item)));
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    void deallocate(item* p) { resource_.deallocate(p, sizeof(item), alignof(item)); }
    void trim() { resource_.trim(); }

private:
    linn::pool_resource resource_{{.max_bytes = 256 * kib}};
};

/// A pool of items, and its limits, of which one is 0.
template <template <class, linn::pool_options> class Pool, linn::pool_options Options>
struct limited {
    static constexpr std::size_t objects = Options.max_objects;
    static constexpr std::size_t bytes = Options.max_bytes;
    using pool = Pool<item, Options>;
};
using shared_objects = limited<linn_test::process_pool, linn::pool_options{.max_objects = 300}>;
using shared_bytes = limited<linn_test::process_pool, linn::pool_options{.max_bytes = 200 * kib + 123}>;
using local_objects = limited<linn::local_pool, linn::pool_options{.max_objects = 700}>;
using local_bytes = limited<linn::local_pool, linn::pool_options{.max_bytes = 50 * kib}>;
struct resource_bytes {
    static constexpr std::size_t objects = 0;
    using pool = limited_resource;
};

/// Everything that there is to be had.
template <class Pool>
std::vector<item*> take_all(Pool& pool) {
    std::vector<item*> all;
    while (item* p = pool.try_allocate()) {
        all.push_back(p);
        REQUIRE(all.size() < 1'000'000);
    }
    return all;
}
template <class Pool>
void give(Pool& pool, const std::vector<item*>& all) {
    for (item* p : all) {
        pool.deallocate(p);
    }
}

TEST_CASE_TEMPLATE("limits: what is beyond the limit is refused, in every form, and nothing changes", Kind,
                   shared_objects, shared_bytes, local_objects, local_bytes) {
    typename Kind::pool pool;
    auto all = take_all(pool);
    const std::size_t n = all.size();
    const auto s = pool.statistics();
    CHECK(s.live == n);
    if (Kind::objects != 0) {
        CHECK(n == Kind::objects);
    } else {
        CHECK(n <= Kind::bytes / s.slot_bytes);
        if (pooling() || std::is_same_v<Kind, local_bytes>) {
            CHECK(s.reserved_bytes ==
                  Kind::bytes / 4096 * 4096); // to the page: the last slab is what is left
            CHECK(n >= Kind::bytes / s.slot_bytes * 9 / 10);
        }
    }
    CHECK_THROWS_AS(static_cast<void>(pool.allocate()), std::bad_alloc);
    constexpr std::size_t some = 100;
    std::vector<item*> last{all.end() - some, all.end()};
    all.resize(n - some);
    give(pool, last);
    last.resize(some + 1);
    CHECK_THROWS_AS(pool.allocate_n(last), std::bad_alloc);
    CHECK_THROWS_AS(pool.reserve(some + 1), std::bad_alloc);
    pool.reserve(some);
    CHECK(pool.statistics().live == n - some);
    last.resize(some);
    pool.allocate_n(last);
    CHECK(pool.try_allocate() == nullptr);
    pool.deallocate_n(all);
    pool.deallocate_n(last);
    CHECK(pool.statistics().live == 0);
    pool.trim();
    all = take_all(pool);
    CHECK(all.size() <= n);
    CHECK(all.size() >= (Kind::objects != 0 ? n : n * 9 / 10)); // slabs may come in other sizes
    pool.deallocate_n(all);
}

TEST_CASE_TEMPLATE("limits: what any thread frees, any other gets at once", Kind, shared_objects,
                   shared_bytes, resource_bytes) {
    typename Kind::pool pool;
    auto all = take_all(pool);
    const std::size_t n = all.size();
    linn_test::worker other; // alive, with whatever it would cache
    other.run_here([&] { give(pool, {all.begin(), all.begin() + 200}); });
    for (std::size_t i = 0; i != 200; ++i) {
        all[i] = pool.try_allocate();
        REQUIRE(all[i] != nullptr);
    }
    CHECK(pool.try_allocate() == nullptr);
    other.run_here([&] {
        CHECK(pool.try_allocate() == nullptr);
        give(pool, all);
        all = take_all(pool);
    });
    CHECK(all.size() >= (Kind::objects != 0 ? n : n * 97 / 100));
    CHECK(pool.try_allocate() == nullptr);
    give(pool, all);
}

TEST_CASE_TEMPLATE(
    "limits: threads that together hold what fits are never refused, and never hold more than the limit",
    Kind, shared_objects, shared_bytes, resource_bytes) {
    constexpr std::size_t threads = 4;
    typename Kind::pool pool;
    const auto all = take_all(pool);
    give(pool, all);
    const std::size_t each = (Kind::objects != 0 ? all.size() : all.size() * 97 / 100) / threads;
    std::atomic<std::size_t> live{0};
    std::atomic<std::size_t> refused{0};
    std::atomic<std::size_t> too_many{0};
    linn_test::in_threads(threads, [&](std::size_t t) {
        linn_test::random_source random{t};
        std::vector<item*> held;
        for (std::size_t round = 0; round != 5000; ++round) {
            if (held.empty() || (held.size() != each && random.below(4) != 0)) {
                item* p = pool.try_allocate();
                if (p == nullptr) {
                    ++refused;
                    continue;
                }
                too_many += ++live > all.size() ? 1U : 0U;
                held.push_back(p);
            } else {
                --live;
                pool.deallocate(held.back());
                held.pop_back();
            }
            if (round % 1000 == 999) { // slabs become empty, and go back
                live -= held.size();
                give(pool, std::exchange(held, {}));
                pool.trim();
            }
        }
    });
    CHECK(refused == 0);
    CHECK(too_many == 0);
}

TEST_CASE("limits: many at once are all or none, and a call that fails holds nothing meanwhile") {
    using pool = linn::pool<item, linn::pool_options{.max_objects = 200}>;
    std::vector<item*> some(150);
    pool::allocate_n(some);
    std::vector<item*> more(51);
    const std::size_t visits = pool::statistics().depot_visits;
    CHECK_THROWS_AS(pool::allocate_n(more), std::bad_alloc);
    if (pooling()) {
        CHECK(pool::statistics().depot_visits == visits + 1); // under one lock
    }
    CHECK(pool::statistics().live == 150);
    more.resize(50);
    pool::allocate_n(more);
    std::vector<item*> both = some;
    both.insert(both.end(), more.begin(), more.end());
    std::sort(both.begin(), both.end());
    CHECK(std::adjacent_find(both.begin(), both.end()) == both.end());
    pool::deallocate_n(more);

    std::atomic<bool> stop{false};
    std::thread greedy{[&] {
        std::vector<item*> wanted(100);
        while (!stop) {
            CHECK_THROWS_AS(pool::allocate_n(wanted), std::bad_alloc);
        }
    }};
    std::size_t refused = 0;
    for (int i = 0; i != 50'000; ++i) {
        item* p = pool::try_allocate();
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

/// As many as there are.
std::vector<void*> take_all(std::pmr::memory_resource& r, std::size_t bytes) {
    std::vector<void*> all;
    try {
        for (;;) {
            all.push_back(nullptr);
            all.back() = r.allocate(bytes, 8);
        }
    } catch (const std::bad_alloc&) {
        all.pop_back();
    }
    return all;
}

void give(std::pmr::memory_resource& r, const std::vector<void*>& all, std::size_t bytes) {
    for (void* p : all) {
        r.deallocate(p, bytes, 8);
    }
}

TEST_CASE("pool_resource: never more than max_bytes from upstream for any request") {
    for (const std::size_t most : {64 * kib, 300 * kib + 77, 2048 * kib}) {
        counting_resource upstream;
        {
            pool_resource r{{.max_bytes = most}, &upstream};
            linn_test::random_source random{7};
            std::vector<std::pair<void*, std::size_t>> held;
            std::size_t refused = 0;
            for (int i = 0; i != 20'000; ++i) {
                if (random.below(5) < 2 && !held.empty()) {
                    std::swap(held[random.below(held.size())], held.back());
                    r.deallocate(held.back().first, held.back().second, 8);
                    held.pop_back();
                    continue;
                }
                const std::size_t bytes = random.below(50) == 0 ? random.below(60 * kib) : random.below(600);
                try {
                    held.emplace_back(r.allocate(bytes, 8), bytes);
                } catch (const std::bad_alloc&) {
                    ++refused;
                }
                REQUIRE(upstream.live_bytes <= most);
            }
            CHECK(refused != 0);
            if (pooling()) { // under a checker, small requests are no matter of upstream, but count all the same
                CHECK(upstream.peak_bytes > most / 2);
            }
            for (const auto& [p, bytes] : held) {
                r.deallocate(p, bytes, 8);
            }
            CHECK(r.options().max_bytes == most);
        }
        CHECK(upstream.live_bytes == 0);
        CHECK(upstream.wrong == 0);
    }
}

TEST_CASE("pool_resource: most of max_bytes can be had, again and again, in one size or another") {
    counting_resource upstream;
    pool_resource r{{.max_bytes = 1024 * kib}, &upstream};
    for (int round = 0; round != 3; ++round) {
        for (const std::size_t bytes :
             {std::size_t{64}, std::size_t{1000}, std::size_t{200}, std::size_t{8000}}) {
            const auto all = take_all(r, bytes);
            CHECK(all.size() * bytes >
                  1024 * kib * (pooling() ? 8 : 4) / 10); // a checker's blocks have heads
            CHECK(upstream.live_bytes <= 1024 * kib);
            give(r, all, bytes);
        }
    }
}

TEST_CASE("pool_resource: larger requests count, head included, and free what they took") {
    counting_resource upstream;
    pool_resource r{{.max_bytes = 1024 * kib}, &upstream};
    void* p = r.allocate(600 * kib, 8);
    CHECK_THROWS_AS(static_cast<void>(r.allocate(600 * kib, 8)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(r.allocate(1024 * kib, 8)), std::bad_alloc);
    void* q = r.allocate(300 * kib, 64);
    CHECK(upstream.live_bytes <= 1024 * kib);
    r.deallocate(p, 600 * kib, 8);
    p = r.allocate(600 * kib, 8);
    r.deallocate(p, 600 * kib, 8);
    r.deallocate(q, 300 * kib, 64);
    // Slabs that became empty make room for them.
    give(r, take_all(r, 100), 100);
    p = r.allocate(900 * kib, 8);
    r.deallocate(p, 900 * kib, 8);
}

TEST_CASE("pool_resource: what upstream refuses is not counted") {
    counting_resource upstream;
    pool_resource r{{.max_bytes = 512 * kib}, &upstream};
    auto all = take_all(r, 200);
    const std::size_t n = all.size();
    give(r, all, 200);
    r.trim();
    for (int i = 0; i != 50; ++i) {
        upstream.fail_after = 0;
        CHECK_THROWS_AS(static_cast<void>(r.allocate(100 * kib, 8)), counting_resource::failure);
        if (pooling()) {
            CHECK_THROWS_AS(static_cast<void>(r.allocate(3000, 8)), std::bad_alloc);
        }
        upstream.fail_after = SIZE_MAX;
    }
    all = take_all(r, 200);
    CHECK(all.size() >= n * 9 / 10);
    give(r, all, 200);
    r.release();
    CHECK(upstream.live_bytes == 0);
    all = take_all(r, 200);
    CHECK(all.size() >= n * 99 / 100); // slabs at other addresses have other colours, which take a few slots
}

} // namespace limits_tests
