// SPDX-License-Identifier: Apache-2.0
// Promise: the observer hears of each slab that a pool takes or gives back and of each request that fails, with no lock
// held, so it may use pools itself, also the one that it is told of.
//
// Breaks when a pool tells under its lock (the helper thread below waits for ever), forgets a way by which memory comes or
// goes (what was mapped and not returned is then not what statistics say), or tells of what the observer itself does.
#include "process_pool.hpp"
#include "unit.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/observer.hpp>
#include <linn/pool.hpp>

#include <cstdio>

namespace observer_tests {

using linn::pool_event;
using linn::pool_event_kind;

template <int>
struct kind {
    std::size_t words[8];
};

using linn_test::pooling;

struct seen_event {
    pool_event_kind kind;
    std::string type;
    const void* pool;
    std::size_t count;
    std::size_t bytes;
};
std::mutex seen_lock;
std::vector<seen_event> seen;

void remember(const pool_event& e) noexcept {
    const std::lock_guard<std::mutex> guard{seen_lock};
    seen.push_back({e.kind, std::string{e.type}, e.pool, e.count, e.bytes});
}

/// While it exists, events are remembered.
struct watch {
    explicit watch(linn::pool_observer f = &remember) : before{linn::set_pool_observer(f)} { seen.clear(); }
    ~watch() { linn::set_pool_observer(before); }

    struct sum {
        std::size_t events = 0;
        std::size_t count = 0;
        std::size_t bytes = 0;
    };
    sum of(pool_event_kind kind) const {
        sum all;
        for (const seen_event& e : seen) {
            if (e.kind == kind) {
                ++all.events;
                all.count += e.count;
                all.bytes += e.bytes;
            }
        }
        return all;
    }
    linn::pool_observer before;
};

TEST_CASE("observer: what a pool takes and gives back") {
    using pool = linn::pool<kind<0>>;
    const watch w;
    std::vector<kind<0>*> all(100'000);
    pool::allocate_n(all);
    const auto s = pool::statistics();
    CHECK(w.of(pool_event_kind::slab_mapped).count == s.slabs);
    CHECK(w.of(pool_event_kind::slab_mapped).bytes == s.reserved_bytes);
    pool::deallocate_n(all);
    pool::trim();
    CHECK(w.of(pool_event_kind::slab_returned).count == s.slabs);
    CHECK(w.of(pool_event_kind::slab_returned).bytes == s.reserved_bytes);
    for (const seen_event& e : seen) {
        CHECK(e.type == s.type);
        CHECK(e.pool == nullptr);
    }
    // What went back is told when it is used again.
    seen.clear();
    pool::deallocate(pool::allocate());
    CHECK(w.of(pool_event_kind::slab_mapped).count == (pooling() ? 1 : 0));
    CHECK(pool::statistics().slabs == s.slabs);
    pool::reserve(200'000);
    CHECK(w.of(pool_event_kind::slab_mapped).count ==
          pool::statistics().slabs - s.slabs + (pooling() ? 1 : 0));
}

TEST_CASE_TEMPLATE("observer: a pool with a limit, refused requests one event each, to its end", Pool,
                   linn_test::process_pool<kind<1>, linn::pool_options{.max_objects = 1000}>,
                   linn::local_pool<kind<1>, linn::pool_options{.max_objects = 1000}>) {
    constexpr bool is_local = !std::is_empty_v<Pool>;
    const watch w;
    const void* address = nullptr;
    {
        Pool pool;
        address = is_local ? &pool : nullptr;
        std::vector<kind<1>*> all(1000);
        pool.allocate_n(all);
        CHECK(w.of(pool_event_kind::slab_mapped).bytes == pool.statistics().reserved_bytes);
        CHECK(w.of(pool_event_kind::slab_mapped).count == pool.statistics().slabs);
        CHECK(w.of(pool_event_kind::limit_reached).events == 0);
        CHECK(pool.try_allocate() == nullptr);
        CHECK(w.of(pool_event_kind::limit_reached).events == 1);
        CHECK(w.of(pool_event_kind::limit_reached).bytes == sizeof(kind<1>));
        CHECK_THROWS_AS(static_cast<void>(pool.allocate()), std::bad_alloc);
        CHECK(w.of(pool_event_kind::limit_reached).events == 2);
        std::vector<kind<1>*> more(5);
        if (pooling() || is_local) { // a memory checker is asked for one at a time
            CHECK_THROWS_AS(pool.allocate_n(more), std::bad_alloc);
            CHECK(w.of(pool_event_kind::limit_reached).count == 7);
        }
        const std::size_t refused = w.of(pool_event_kind::limit_reached).events;
        CHECK_THROWS_AS(pool.reserve(1), std::bad_alloc);
        CHECK(w.of(pool_event_kind::limit_reached).events == refused + 1);
        CHECK(w.of(pool_event_kind::out_of_memory).events == 0);
        pool.deallocate_n(all);
        pool.trim();
        CHECK(w.of(pool_event_kind::slab_returned).bytes == w.of(pool_event_kind::slab_mapped).bytes);
        pool.reserve(10);
        if (!is_local) { // whose end returns it
            pool.trim();
        }
    }
    CHECK(w.of(pool_event_kind::slab_returned).count == w.of(pool_event_kind::slab_mapped).count);
    CHECK(w.of(pool_event_kind::slab_returned).bytes == w.of(pool_event_kind::slab_mapped).bytes);
    for (const seen_event& e : seen) {
        CHECK(e.pool == address);
    }
}

TEST_CASE("observer: requests that the system refuses") {
    using pool = linn::pool<kind<2>>;
    const watch w;
    CHECK_THROWS_AS(pool::reserve(SIZE_MAX), std::bad_alloc);
    if (pooling()) {
        CHECK(w.of(pool_event_kind::out_of_memory).events == 1);
        CHECK(w.of(pool_event_kind::out_of_memory).count == SIZE_MAX);
        CHECK(w.of(pool_event_kind::out_of_memory).bytes == SIZE_MAX);
        CHECK(w.of(pool_event_kind::limit_reached).events == 0);
    }
    linn::local_pool<kind<2>> local;
    seen.clear();
    CHECK_THROWS_AS(local.reserve(SIZE_MAX), std::bad_alloc);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == pool_event_kind::out_of_memory);
    CHECK(seen[0].pool == &local);
}

using busy = linn::pool<kind<4>, linn::pool_options{.retain_bytes = 0}>;
std::atomic<std::size_t> calls{0};
std::atomic<bool> in_use{false};
std::atomic<bool> recursed{false};
linn::local_pool<kind<4>>* the_local = nullptr;

/// Uses the pool that it is told of, here and on a thread that waits for every lock.
void use_pools(const pool_event& e) noexcept {
    static thread_local bool here = false;
    recursed = recursed || here;
    if (in_use.exchange(true)) { // told of what the helper thread does
        return;
    }
    here = true;
    ++calls;
    std::vector<kind<4>*> some(5000); // which maps slabs itself
    busy::allocate_n(some);
    std::thread{[&] {
        busy::deallocate_n(some);
        busy::trim();
        static_cast<void>(busy::statistics());
    }}.join();
    if (the_local != nullptr && e.pool == the_local) {
        the_local->deallocate(the_local->allocate());
        static_cast<void>(the_local->allocate());
    }
    here = false;
    in_use = false;
}

TEST_CASE("observer: may use the pool that it is told of, and is not told of that") {
    if (!pooling()) {
        return;
    }
    const watch w{&use_pools};
    calls = 0;
    kind<4>* p = busy::allocate();
    CHECK(calls.load() == 1);
    std::vector<kind<4>*> all(20'000);
    busy::allocate_n(all);
    CHECK(calls.load() > 1);
    CHECK(busy::statistics().live == all.size() + 1);
    busy::deallocate(p);
    busy::deallocate_n(all);
    const std::size_t before = calls;
    busy::trim();
    CHECK(calls.load() > before);
    const std::size_t trimmed = calls;
    CHECK_THROWS_AS(busy::reserve(SIZE_MAX), std::bad_alloc);
    CHECK(calls.load() == trimmed + 1);
    CHECK_FALSE(recursed.load());
    CHECK(busy::statistics().live == 0);
}

TEST_CASE("observer: trim ends, though the observer leaves a slab empty again") {
    using uncached = linn::pool<kind<7>, linn::pool_options{.max_objects = 1000}>;
    std::vector<kind<7>*> all(1000);
    uncached::allocate_n(all);
    uncached::deallocate_n(all);
    const watch w{[](const pool_event&) noexcept { uncached::destroy(uncached::create()); }};
    const std::size_t bytes = uncached::trim();
    CHECK((bytes != 0 || !pooling()));
    CHECK(uncached::statistics().live == 0);
}

TEST_CASE("observer: may use the local_pool that it is told of") {
    const watch w{&use_pools};
    linn::local_pool<kind<4>> pool;
    the_local = &pool;
    std::vector<kind<4>*> mine;
    for (int i = 0; i != 3000; ++i) {
        mine.push_back(pool.allocate());
    }
    the_local = nullptr;
    CHECK(pool.live() > 3000);
    pool.release();
}

TEST_CASE("observer: set, replaced and taken out, while pools are busy") {
    CHECK((linn::set_pool_observer(&remember) == nullptr));
    CHECK((linn::set_pool_observer(nullptr) == &remember));
    std::atomic<bool> stop{false};
    std::thread worker{[&] {
        using pool = linn::pool<kind<6>>;
        std::vector<kind<6>*> all(3000);
        while (!stop) {
            pool::allocate_n(all);
            pool::deallocate_n(all);
            pool::trim();
        }
    }};
    for (int i = 0; i != 2000; ++i) {
        linn::set_pool_observer(i % 2 == 0 ? &remember : nullptr);
    }
    stop = true;
    worker.join();
    linn::set_pool_observer(nullptr);
    seen.clear();
    linn::local_pool<int> pool;
    pool.deallocate(pool.allocate());
    CHECK(seen.empty());
}

TEST_CASE("observer: a buffer_pool, and its buffers after its end") {
    constexpr std::size_t bytes = 65536;
    const watch w;
    linn::buffer survivor;
    const void* address = nullptr;
    {
        linn::buffer_pool pool{bytes, {.retain_bytes = bytes, .max_bytes = 3 * bytes}};
        address = &pool;
        survivor = pool.acquire();
        auto second = pool.acquire();
        auto third = pool.acquire();
        CHECK(w.of(pool_event_kind::slab_mapped).count == 3);
        CHECK(w.of(pool_event_kind::slab_mapped).bytes == 3 * bytes);
        CHECK(!pool.try_acquire());
        CHECK_THROWS_AS(pool.reserve(1), std::bad_alloc);
        CHECK(w.of(pool_event_kind::limit_reached).events == 2);
        second.reset(); // is kept
        CHECK(w.of(pool_event_kind::slab_returned).events == 0);
        third.reset();
        CHECK(w.of(pool_event_kind::slab_returned).bytes == bytes);
        pool.trim();
        CHECK(w.of(pool_event_kind::slab_returned).count == 2);
        pool.reserve(1);
    }
    CHECK(w.of(pool_event_kind::slab_mapped).count == 4);
    CHECK(w.of(pool_event_kind::slab_returned).count == 3);
    for (const seen_event& e : seen) {
        CHECK(e.pool == address);
        CHECK(e.type == "linn::buffer");
    }
    survivor.reset();
    CHECK(w.of(pool_event_kind::slab_returned).count == 4);
    CHECK(seen.back().pool == nullptr); // which is gone
}

TEST_CASE("observer: a pool_resource, at its limit and without upstream") {
    const watch w;
    const void* address = nullptr;
    {
        linn::pool_resource resource{{.max_bytes = std::size_t{1} << 20}};
        address = &resource;
        std::vector<void*> all;
        try {
            for (;;) {
                all.push_back(resource.allocate(500, 8));
            }
        } catch (const std::bad_alloc&) {
        }
        CHECK(w.of(pool_event_kind::limit_reached).events == 1);
        CHECK(w.of(pool_event_kind::limit_reached).count == 1);
        CHECK(w.of(pool_event_kind::limit_reached).bytes >= 500);
        std::size_t reserved = 0;
        std::size_t slabs = 0;
        for (const auto& s : resource.statistics()) {
            if (s.object_bytes != 0) { // blocks of their own are no slabs
                reserved += s.reserved_bytes;
                slabs += s.slabs;
            }
        }
        CHECK(w.of(pool_event_kind::slab_mapped).count == slabs);
        CHECK(w.of(pool_event_kind::slab_mapped).bytes == reserved);
        CHECK_THROWS_AS(static_cast<void>(resource.allocate(2 << 20, 8)), std::bad_alloc);
        CHECK(w.of(pool_event_kind::limit_reached).events == 2);
        for (void* p : all) {
            resource.deallocate(p, 500, 8);
        }
        resource.trim();
        CHECK(w.of(pool_event_kind::slab_returned).bytes == reserved);
        static_cast<void>(resource.allocate(100, 8)); // goes with the resource
    }
    CHECK(w.of(pool_event_kind::slab_mapped).bytes == w.of(pool_event_kind::slab_returned).bytes);
    CHECK(w.of(pool_event_kind::slab_mapped).count == w.of(pool_event_kind::slab_returned).count);
    CHECK(w.of(pool_event_kind::out_of_memory).events == 0);
    for (const seen_event& e : seen) {
        CHECK(e.pool == address);
        CHECK(e.type == "linn::pool_resource");
    }
    seen.clear();
    linn::pool_resource over_nothing{std::pmr::null_memory_resource()};
    CHECK_THROWS_AS(static_cast<void>(over_nothing.allocate(100'000, 8)), std::bad_alloc);
    CHECK(w.of(pool_event_kind::out_of_memory).events == 1);
    CHECK(w.of(pool_event_kind::limit_reached).events == 0);
}

TEST_CASE("observer: an event as a line") {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    linn::print_pool_event(file, {pool_event_kind::slab_mapped, "order", nullptr, 2, 131072});
    std::rewind(file);
    char line[200] = {};
    CHECK(std::fgets(line, sizeof line, file) == line);
    std::fclose(file);
    CHECK(std::string{line} == "linn: pool of order: slab mapped: 2, 131072 bytes\n");
}

} // namespace observer_tests
