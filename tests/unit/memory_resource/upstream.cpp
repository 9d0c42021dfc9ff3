// SPDX-License-Identifier: Apache-2.0
// What goes to and comes from upstream: nothing that no object can have; trim gives memory back, and what
// is kept stays bounded. That everything comes back as it was asked for, and that a failure leaves all as it was: tests/fuzz; one thread at a time: tests/model.
#include "counting_resource.hpp"
#include "unit.hpp"

#include <linn/memory_resource.hpp>

#include <barrier>

namespace memory_resource_upstream_tests {

using linn::pool_resource;
using linn_test::counting_resource;
using linn_test::pooling;

std::vector<std::pair<void*, std::size_t>> fill(std::pmr::memory_resource& r, int n) {
    linn_test::random_source random{3};
    std::vector<std::pair<void*, std::size_t>> all;
    for (int i = 0; i < n; ++i) {
        const std::size_t bytes = random.below(10) == 0 ? random.below(60'000) : random.below(300);
        all.emplace_back(r.allocate(bytes, 8), bytes);
        std::memset(all.back().first, 1, bytes);
    }
    return all;
}

void empty(std::pmr::memory_resource& r, std::vector<std::pair<void*, std::size_t>>& all) {
    for (const auto& [p, bytes] : all) {
        r.deallocate(p, bytes, 8);
    }
    all.clear();
}

TEST_CASE("pool_resource: upstream is never asked for a size that no object can have") {
    counting_resource upstream;
    linn::pool_resource r{&upstream};
    constexpr std::size_t half = SIZE_MAX / 2 + 1;
    for (const std::size_t align : {std::size_t{1}, std::size_t{4096}, half / 2, half}) {
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1}, half - 64, half - 1, half, SIZE_MAX}) {
            if (align >= half || bytes >= half - align) {
                CHECK_THROWS_AS(static_cast<void>(r.allocate(bytes, align)), std::bad_alloc);
            }
        }
    }
    CHECK(upstream.allocations == 0);
    CHECK(upstream.failures == 0);
}

TEST_CASE("pool_resource: a thread that only frees needs nothing from upstream") {
    counting_resource upstream;
    pool_resource r{&upstream};
    auto all = fill(r, 2000);
    upstream.fail_after = 0;
    std::thread{[&] { empty(r, all); }}.join();
    upstream.fail_after = SIZE_MAX;
    for (const auto& s : r.statistics()) {
        CHECK(s.live == 0);
    }
    all = fill(r, 2000);
}

TEST_CASE("pool_resource: over a buffer on the stack, with no more to be had") {
    alignas(4096) std::array<std::byte, 128 * 1024> buffer;
    std::pmr::monotonic_buffer_resource upstream{buffer.data(), buffer.size(),
                                                 std::pmr::null_memory_resource()};
    pool_resource r{{.slab_bytes = 4096}, &upstream};
    std::vector<void*> all;
    bool failed = false;
    while (!failed && all.size() < 100'000) {
        try {
            all.push_back(r.allocate(64, 8));
        } catch (const std::bad_alloc&) {
            failed = true;
        }
    }
    if (pooling()) {
        CHECK(failed);
        CHECK(all.size() > 1000); // of the 2048 that would fit without any bookkeeping
    }
    // What is freed serves again, with no upstream.
    for (int round = 0; round < 10; ++round) {
        for (void* p : all) {
            r.deallocate(p, 64, 8);
        }
        for (void*& p : all) {
            p = r.allocate(64, 8);
        }
    }
}

TEST_CASE("pool_resource: trim gives empty slabs back to upstream, release all") {
    counting_resource upstream;
    pool_resource r{&upstream};
    auto all = fill(r, 20'000);
    const std::size_t full = upstream.live_bytes;
    empty(r, all);
    const std::size_t bytes = r.trim();
    if (pooling()) {
        CHECK(bytes != 0);
        CHECK(upstream.live_bytes * 5 < full);
        for (const auto& s : r.statistics()) {
            CHECK(s.slabs == 0);
            CHECK(s.cached == 0);
        }
    }
    CHECK(r.trim() == 0);
    fill(r, 100);
    r.release();
    CHECK(upstream.blocks.empty());
    CHECK(upstream.wrong == 0);
}

TEST_CASE("pool_resource: trim gives pages back to the system, also of slabs with survivors") {
    if (!pooling()) {
        return;
    }
    pool_resource r;
    std::vector<void*> all(50'000);
    for (void*& p : all) {
        p = r.allocate(64);
        std::memset(p, 7, 64);
    }
    const std::size_t full = r.statistics()[0].resident_bytes;
    CHECK(full >= all.size() * 64);
    std::vector<void*> survivors;
    linn_test::shuffle(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 5000 == 0) {
            survivors.push_back(all[i]);
        } else {
            r.deallocate(all[i], 64);
        }
    }
    CHECK(r.trim() * 10 > full * 8);
    CHECK(r.statistics()[0].resident_bytes * 5 < full);
    for (void* p : survivors) {
        CHECK(*static_cast<unsigned char*>(p) == 7);
        r.deallocate(p, 64);
    }
}

TEST_CASE("pool_resource: trim also drops what resources that are gone left for the next") {
    if (!pooling()) {
        return;
    }
    {
        pool_resource gone;
        gone.deallocate(gone.allocate(24), 24);
    }
    pool_resource r;
    CHECK(r.trim() != 0);
    CHECK(r.trim() == 0);
}

TEST_CASE("pool_resource: trim reaches what other threads cache at their next visit") {
    if (!linn_test::caching()) {
        return;
    }
    pool_resource r;
    std::vector<void*> all(100);
    for (void*& p : all) {
        p = r.allocate(256);
    }
    // Only numbers that live threads have are told apart: this thread keeps its own meanwhile.
    std::thread{[&] {
        for (void* p : all) {
            r.deallocate(p, 256);
        }
        const std::size_t before = r.statistics()[0].cached;
        CHECK(before > 0);
        std::thread{[&] { r.trim(); }}.join();
        CHECK(r.statistics()[0].cached > 0);
        std::vector<void*> again(200); // enough to come to the depot
        for (void*& p : again) {
            p = r.allocate(256);
        }
        for (void* p : again) {
            r.deallocate(p, 256);
        }
        CHECK(r.statistics()[0].cached <= 128);
    }}.join();
    CHECK(r.statistics()[0].live == 0);
}

TEST_CASE("pool_resource: trim reaches at once what threads cached that are over") {
    if (!pooling()) {
        return;
    }
    pool_resource r;
    std::barrier together{8}; // so that each has a number of its own
    linn_test::in_threads(8, [&] {
        std::vector<void*> all(200);
        for (void*& p : all) {
            p = r.allocate(256);
        }
        for (void* p : all) {
            r.deallocate(p, 256);
        }
        together.arrive_and_wait();
    });
    r.trim();
    CHECK(r.statistics()[0].cached == 0);
    CHECK(r.statistics()[0].slabs == 0);
}

void compare_trim_with_numbers(pool_resource& r) {
    const auto returned = [&r] {
        std::size_t bytes = 0;
        for (const auto& s : r.statistics()) {
            bytes += s.returned_bytes;
        }
        return bytes;
    };
    r.trim(); // also what earlier resources left
    for (const std::size_t kept : {std::size_t{500}, std::size_t{0}}) {
        auto all = fill(r, 2000);
        decltype(all) rest{all.begin() + static_cast<std::ptrdiff_t>(kept), all.end()};
        all.resize(kept);
        empty(r, rest);
        const std::size_t before = returned();
        const std::size_t bytes = r.trim();
        CHECK((bytes != 0) == pooling());
        CHECK(bytes == returned() - before);
        empty(r, all);
    }
}

TEST_CASE("pool_resource: what trim returns is what the numbers add") {
    pool_resource own_pages;
    compare_trim_with_numbers(own_pages);
    pool_resource over_upstream{std::pmr::new_delete_resource()};
    compare_trim_with_numbers(over_upstream);
}

TEST_CASE("pool_resource: trim does not look for each of many slabs among all") {
    if (!pooling()) {
        return;
    }
    using steady = std::chrono::steady_clock;
    for (const std::ptrdiff_t kept : {0, 250'000}) { // less one in each slab
        auto fill_time = steady::duration::zero();
        auto trim_time = steady::duration::max();
        for (int round = 0; round != 3; ++round) {
            std::pmr::monotonic_buffer_resource upstream; // takes slabs back at no cost
            pool_resource r{&upstream};
            std::vector<void*> all(500'000); // in 8000 slabs
            const auto begin = steady::now();
            for (void*& p : all) {
                p = r.allocate(1024);
            }
            fill_time = (std::max)(fill_time, steady::now() - begin);
            for (std::ptrdiff_t i = 0; i < kept; i += 60) {
                r.deallocate(all[static_cast<std::size_t>(i)], 1024);
            }
            for (auto p = all.begin() + kept; p != all.end(); ++p) {
                r.deallocate(*p, 1024);
            }
            const auto filled = steady::now();
            r.trim();
            trim_time = (std::min)(trim_time, steady::now() - filled);
        }
        CHECK(trim_time < fill_time);
    }
}

} // namespace memory_resource_upstream_tests
