// SPDX-License-Identifier: Apache-2.0
// Promise: a pool_resource with max_bytes never has more than that from its upstream and the system, all told; below the limit
// no request fails for memory that another size keeps without using it. Other threads: unit/limits.cpp.
//
// Breaks when empty slabs of other sizes are not given back first, or when bytes stay counted that were freed.
#include "counting_resource.hpp"
#include "unit.hpp"

#include <linn/memory_resource.hpp>

namespace memory_resource_limits_tests {

using linn::pool_resource;
using linn_test::counting_resource;

constexpr std::size_t kib = 1024;

using linn_test::pooling;

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

TEST_CASE("pool_resource: never more than max_bytes from upstream, whatever is asked") {
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

} // namespace memory_resource_limits_tests
