// SPDX-License-Identifier: Apache-2.0
// One depot and fronts made by hand: no thread and no clock but the test's own.
#include "test_policy.hpp"
#include "unit.hpp"

namespace sync_depot_tests {

struct tag {};
using policy = linn_test::test_policy<tag>;
using pages = policy::pages;
using fixture = linn_test::depot_fixture<policy>;
using front = fixture::front_type;
using linn_test::put;
using linn_test::put_many;
using linn_test::small_geometry;
using linn_test::take;
using linn_test::take_many;

static_assert(std::is_trivially_destructible_v<front>, "usable while thread_local objects are destroyed");
static_assert(alignof(front) == 64);
static_assert(sizeof(front) <= 128, "a thread pays this for every pool that it names");

constexpr std::size_t magazine = 8;

/// live + cached == out is checked by the caller's numbers; here the rest.
void check_quiescent(fixture& x, std::size_t live) {
    CHECK(x.depot.consistent());
    CHECK(x.depot.statistics().live == live);
}

TEST_CASE("depot: a thread begins with few objects") {
    fixture x{small_geometry()};
    front f;
    x.depot.attach(f, 1);
    take_many(x, f, 1);
    const std::size_t first = x.depot.statistics().cached;
    CHECK(first <= 3);
    take_many(x, f, 40);
    CHECK(x.depot.statistics().cached < magazine);
}

TEST_CASE("depot: alternating at any fill does not thrash") {
    for (std::size_t fill = 0; fill <= 4 * magazine; ++fill) {
        for (const bool take_first : {true, false}) {
            fixture x{small_geometry()};
            front f;
            x.depot.attach(f, 1);
            auto spare = take_many(x, f, 6 * magazine);
            for (std::size_t i = 0; i < fill; ++i) {
                put(x.depot, f, spare.back());
                spare.pop_back();
            }
            // Runs of up to one magazine go up and down.
            for (const std::size_t run : linn_test::sizes{1, 2, magazine}) {
                const std::size_t before = x.depot.statistics().depot_visits;
                for (int i = 0; i < 300; ++i) {
                    if (take_first) {
                        const auto taken = take_many(x, f, run);
                        put_many(x, f, taken);
                    } else {
                        put_many(x, f, {spare.end() - static_cast<std::ptrdiff_t>(run), spare.end()});
                        spare.resize(spare.size() - run);
                        const auto taken = take_many(x, f, run);
                        spare.insert(spare.end(), taken.begin(), taken.end());
                    }
                }
                CHECK_MESSAGE(x.depot.statistics().depot_visits - before <= 3, "fill ", fill, " run ", run);
            }
        }
    }
}

TEST_CASE("depot: a thread caches two magazines at most, whatever it frees") {
    pages::reset();
    fixture x{small_geometry()};
    front a;
    front b;
    x.depot.attach(a, 1);
    x.depot.attach(b, 2);
    constexpr std::size_t turn = 200;
    // One thread allocates and another frees.
    for (int i = 0; i < 300; ++i) {
        put_many(x, b, take_many(x, a, turn));
        const auto s = x.depot.statistics();
        REQUIRE(s.live == 0);
        REQUIRE(s.cached <= 3 * magazine);
    }
    CHECK(x.depot.statistics().peak <= turn + 3 * magazine);
    CHECK(x.depot.statistics().slabs == 1);
    x.depot.detach(a);
    x.depot.detach(b);
    CHECK(x.depot.statistics().cached == 0);
    CHECK(x.depot.statistics().threads == 0);
    check_quiescent(x, 0);
}

TEST_CASE("depot: the arrays of fronts are recycled") {
    pages::reset();
    fixture x{small_geometry()};
    front f;
    for (int i = 0; i < 500; ++i) {
        x.depot.attach(f, 1);
        put_many(x, f, take_many(x, f, 100));
        x.depot.detach(f);
    }
    CHECK(pages::maps == 2); // a slab and one chunk of metadata
}

TEST_CASE("depot: detach leaves a front as new, and its objects with the depot") {
    fixture x{small_geometry()};
    front f;
    for (const std::size_t kept : linn_test::sizes{0, 1, 7, 8, 9, 20}) {
        x.depot.attach(f, 1);
        auto all = take_many(x, f, 50);
        const std::vector<void*> alive(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
        put_many(x, f, {all.begin() + static_cast<std::ptrdiff_t>(kept), all.end()});
        x.depot.detach(f);
        CHECK(f.home == nullptr);
        CHECK_FALSE(f.has_places());
        void* p = nullptr;
        CHECK_FALSE(f.try_pop(p));
        CHECK_FALSE(f.try_push(&p));
        check_quiescent(x, kept);
        for (void* object : alive) {
            x.depot.put_one(object);
        }
        check_quiescent(x, 0);
    }
    x.depot.trim(nullptr);
    CHECK(x.depot.statistics().cached == 0);
}

TEST_CASE("depot: reserve counts what came back, once") {
    pages::reset();
    fixture x{small_geometry()};
    front f;
    x.depot.attach(f, 1);
    auto all = take_many(x, f, 1);
    pages::fail_from(0);
    for (void* p = take(x.depot, f); p != nullptr; p = take(x.depot, f)) {
        all.push_back(p);
    }
    put_many(x, f, all);
    x.depot.detach(f);
    // So many can be had. One more cannot.
    CHECK(x.depot.reserve(all.size()));
    CHECK_FALSE(x.depot.reserve(all.size() + 1));
    pages::work();
    CHECK(x.depot.reserve(all.size() + 1));
    pages::fail_from(0);
    front g;
    x.depot.attach(g, 1);
    const auto again = take_many(x, g, all.size() + 1);
    put_many(x, g, again);
    x.depot.detach(g);
    pages::work();
}

TEST_CASE("depot: a fork leaves behind what other threads had, and counts it as lost") {
    fixture x{small_geometry()};
    front mine;
    front other[2];
    x.depot.attach(other[0], 2);
    x.depot.attach(mine, 1);
    x.depot.attach(other[1], 3);
    const auto live = take_many(x, mine, 5);
    put_many(x, other[0], take_many(x, other[0], 20));
    take_many(x, other[1], 3);
    const std::size_t lost = x.depot.statistics().cached;
    x.depot.forget_threads_but(1);
    const auto s = x.depot.statistics();
    CHECK(s.threads == 1);
    CHECK(s.live == 8);
    CHECK(s.cached < lost);
    // The survivor goes on, and frees what the others had allocated.
    put_many(x, mine, live);
    put_many(x, mine, take_many(x, mine, 100));
    check_quiescent(x, 3);
    x.depot.detach(mine);
    check_quiescent(x, 3);
    CHECK(x.depot.statistics().threads == 0);
}

TEST_CASE("depot: more may be lost than is out, where a thread had objects of another module's pool") {
    fixture x{small_geometry()};
    fixture module{small_geometry()};
    front mine;
    front other;
    x.depot.attach(other, 2);
    module.depot.attach(mine, 1);
    put_many(x, other, take_many(module, mine, 5));
    x.depot.forget_threads_but(1);
    CHECK(x.depot.statistics().live == 0);
    module.depot.detach(mine);
}

TEST_CASE("depot: where a memory checker sees each object, a run above the limit asks for none") {
    auto sizes = small_geometry();
    sizes.max_slots = 10;
    linn::detail::metadata_arena<policy> arena;
    fixture::depot_type depot{{.sizes = sizes, .type = linn::detail::label_of("limited")},
                              "limited",
                              linn::detail::service::bypass,
                              arena};
    void* all[11] = {};
    CHECK_FALSE(depot.take_bypassed(all, 11));
    CHECK(all[0] == nullptr);
    REQUIRE(depot.take_bypassed(all, 10));
    for (std::size_t i = 0; i != 10; ++i) {
        depot.put_bypassed(all[i]);
    }
    CHECK(depot.statistics().live == 0);
    CHECK(depot.statistics().peak == 10);
}

} // namespace sync_depot_tests
