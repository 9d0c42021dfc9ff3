// SPDX-License-Identifier: Apache-2.0
// Threads that make and drop bursts larger than what they cache meet at each exchange: they get larger caches, and then they meet no
// more. The two ends of a pipeline must meet, and keep small ones. The clock stands until a test moves it.
#include "test_policy.hpp"
#include "worker.hpp"

#include <linn/detail/sync/resource_core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace sync_meetings_tests {

namespace detail = linn::detail;

struct tag {};
using policy = linn_test::test_policy<tag>;
using fixture = linn_test::depot_fixture<policy>;
using front = fixture::front_type;
using linn_test::put_many;
using linn_test::take_many;

constexpr std::size_t burst =
    60; ///< nearly eight magazines at first, nearly four when they have grown with traffic

detail::geometry growing_geometry() {
    detail::geometry g = linn_test::small_geometry();
    g.magazine_slots_max = 16;
    g.magazine_slots_met = 64;
    g.stash_slots = 128;
    return g;
}

struct two_threads {
    two_threads() {
        x.depot.attach(a, 1);
        x.depot.attach(b, 2);
    }
    ~two_threads() {
        x.depot.detach(a);
        x.depot.detach(b);
        CHECK(x.depot.consistent());
        CHECK(x.depot.statistics().live == 0);
    }
    [[nodiscard]] std::size_t visits() { return x.depot.statistics().depot_visits; }

    fixture x{growing_geometry()};
    front a;
    front b;
};

TEST_CASE("meetings: threads with bursts get magazines so large that they meet no more") {
    two_threads t;
    std::size_t of_a = 0;
    std::size_t of_b = 0;
    const auto bursts = [&](int n) {
        of_a = of_b = 0;
        for (int i = 0; i != n; ++i) {
            const std::size_t before = t.visits();
            put_many(t.x, t.a, take_many(t.x, t.a, burst));
            const std::size_t between = t.visits();
            put_many(t.x, t.b, take_many(t.x, t.b, burst));
            of_a += between - before;
            of_b += t.visits() - between;
        }
    };
    bursts(100);
    CHECK(of_a >= 200);
    CHECK(of_b >= 200);
    bursts(1000);
    CHECK(t.x.depot.magazine_capacity() > 16);
    bursts(100);
    CHECK(std::min(of_a, of_b) == 0); // one may still exchange magazines with a depot that is its own by now
    CHECK(std::max(of_a, of_b) <= 200);
}

TEST_CASE("meetings: one thread with bursts meets nobody") {
    two_threads t;
    for (int i = 0; i != 3000; ++i) {
        put_many(t.x, t.a, take_many(t.x, t.a, burst));
    }
    CHECK(t.x.depot.magazine_capacity() == 16);
}

TEST_CASE("meetings: the ends of a pipeline keep their magazines") {
    two_threads t;
    for (int i = 0; i != 3000; ++i) {
        put_many(t.x, t.b, take_many(t.x, t.a, burst));
    }
    CHECK(t.x.depot.magazine_capacity() == 16);
}

TEST_CASE("meetings: threads that meet now and then keep their magazines") {
    two_threads t;
    for (int i = 0; i != 3000; ++i) {
        put_many(t.x, t.a, take_many(t.x, t.a, burst));
        put_many(t.x, t.b, take_many(t.x, t.b, burst));
        policy::clock::time += i % 10 == 0 ? 1 : 0;
    }
    CHECK(t.x.depot.magazine_capacity() == 16);
}

struct resource_tag {};
struct standing_platform : detail::platform {
    using clock = linn_test::manual_clock<resource_tag>;
};
using resource = detail::resource_core<standing_platform>;

detail::resource_settings settings() {
    detail::resource_settings s;
    s.upstream.get = [](void*, std::size_t bytes, std::size_t) { return std::malloc(bytes); };
    s.upstream.put = [](void*, void* p, std::size_t, std::size_t) { std::free(p); };
    return s;
}

constexpr std::size_t bytes = 1536;

void burst_of(resource& r, std::size_t n) {
    constexpr unsigned c = detail::class_of(bytes);
    std::vector<void*> all(n);
    for (void*& p : all) {
        if (!r.pop(c, p)) {
            p = r.take(c);
        }
    }
    for (void* p : all) {
        if (!r.push(c, p)) {
            r.put(c, p);
        }
    }
}

std::size_t visits_of(resource& r) {
    std::size_t visits = 0;
    r.statistics([&](const linn::pool_statistics& s) { visits += s.depot_visits; });
    return visits;
}

TEST_CASE("meetings: a resource gives threads with bursts room for a burst, too") {
    if (detail::checked_build || detail::sanitizer_bypass || detail::running_on_memcheck()) {
        return; // nothing is cached there
    }
    constexpr std::size_t large_burst = 256; // 384 KiB
    resource r{settings()};
    linn_test::worker other;
    for (int i = 0; i != 400; ++i) {
        burst_of(r, large_burst);
        other.run_here([&] { burst_of(r, large_burst); });
    }
    const std::size_t before = visits_of(r);
    for (int i = 0; i != 20; ++i) {
        burst_of(r, large_burst);
        other.run_here([&] { burst_of(r, large_burst); });
    }
    CHECK(visits_of(r) == before);
}

TEST_CASE("meetings: one thread with bursts gets 128 KiB worth of a resource's slots") {
    if (detail::checked_build || detail::sanitizer_bypass || detail::running_on_memcheck()) {
        return;
    }
    resource r{settings()};
    for (int i = 0; i != 400; ++i) {
        burst_of(r, 256);
    }
    const std::size_t before = visits_of(r);
    burst_of(r, 256);
    const std::size_t visits = visits_of(r) - before;
    CHECK(visits > 2);
    CHECK(visits < 14); // 48 with 32 KiB worth
}

} // namespace sync_meetings_tests
