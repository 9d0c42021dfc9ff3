// SPDX-License-Identifier: Apache-2.0
// A depot and the system: trim, retention, and no memory for caches. That any request may be refused: process.error_nth_request.
#include "test_policy.hpp"
#include "unit.hpp"

namespace sync_depot_memory_tests {

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

TEST_CASE("depot: after a trim other fronts give back at their next visit") {
    fixture x{small_geometry()};
    front a;
    front b;
    x.depot.attach(a, 1);
    x.depot.attach(b, 2);
    auto held = take_many(x, b, 40);
    // Fill b so far that its next free must visit the depot.
    while (b.count() != 16) {
        REQUIRE_FALSE(held.empty());
        put(x.depot, b, held.back());
        held.pop_back();
    }
    x.depot.trim(&a);
    CHECK(x.depot.statistics().cached == 16); // b's: only its owner may touch it
    put(x.depot, b, held.back());
    held.pop_back();
    CHECK(x.depot.statistics().cached == 1);
    CHECK(x.depot.statistics().live == held.size());
    // Once is enough.
    const std::size_t visits = x.depot.statistics().depot_visits;
    put_many(x, b, {held.begin(), held.begin() + 7});
    CHECK(x.depot.statistics().depot_visits == visits);
    CHECK(x.depot.statistics().cached == 8);
}

TEST_CASE("depot: what is unused goes back with time, at most eight slabs a visit, without anybody asking") {
    pages::reset();
    policy::clock::time = 1000;
    fixture x{small_geometry(1 << 16)};
    front f;
    x.depot.attach(f, 1);
    const auto all = take_many(x, f, 20'000);
    std::vector<void*> freed;
    std::vector<void*> kept; // half of the slabs have survivors
    for (std::size_t i = 0; i != all.size(); ++i) {
        (i < all.size() / 2 && i % 500 == 0 ? kept : freed).push_back(all[i]);
    }
    linn_test::random_source random{7};
    std::shuffle(freed.begin(), freed.end(), random);
    const std::size_t resident = x.depot.statistics().resident_bytes;
    put_many(x, f, freed);
    CHECK(pages::discards == 0);
    const auto visit = [&] { x.depot.put_one(x.depot.take_one()); };
    policy::clock::time = 1250;
    visit();
    policy::clock::time = 1999;
    visit();
    CHECK(pages::discards == 0);
    policy::clock::time = 2250;
    std::size_t before = resident;
    for (int i = 0; i < 8; ++i) {
        visit();
        const std::size_t now = x.depot.statistics().resident_bytes;
        CHECK(before - now <= 8 << 16);
        before = now;
    }
    CHECK(pages::discards > 20);
    // What is retained, the survivors' pages, and the slabs that cached objects pin.
    CHECK(before <= (4 << 16) + kept.size() * 2 * linn::detail::page_bytes + 20 * linn::detail::page_bytes);
    CHECK(x.depot.statistics().returned_bytes == resident - before);
    CHECK(x.depot.consistent());
    put_many(x, f, kept);
    const std::size_t returned = x.depot.statistics().returned_bytes;
    const std::size_t by_trim = x.depot.trim(&f);
    CHECK(x.depot.statistics().returned_bytes == returned + by_trim);
    CHECK(x.depot.statistics().returned_bytes ==
          resident - x.depot.statistics().slabs * linn::detail::page_bytes);
}

TEST_CASE("depot: trim counts also what the cache of the caller made unused") {
    pages::reset();
    policy::clock::time = 1000;
    fixture x{small_geometry(0)};
    front f;
    x.depot.attach(f, 1);
    put_many(x, f, take_many(x, f, 20'000));
    policy::clock::time = 3001;
    const std::size_t returned = x.depot.statistics().returned_bytes;
    const std::size_t by_trim = x.depot.trim(&f);
    CHECK(by_trim > 0);
    CHECK(x.depot.statistics().returned_bytes == returned + by_trim);
}

TEST_CASE("depot: after everything was freed, a second and a few calls return it, whichever they are") {
    for (const bool with_allocations : {false, true}) {
        pages::reset();
        policy::clock::time = 1000;
        fixture x{small_geometry(0)};
        front f;
        x.depot.attach(f, 1);
        auto all = take_many(x, f, 20'000);
        std::vector<void*> few(all.end() - 8, all.end());
        all.resize(all.size() - few.size());
        put_many(x, f, all);
        x.depot.put_one(few.back());
        few.pop_back();
        for (int i = 0; i < 3; ++i) { // moments of a few calls, half a second apart
            policy::clock::time += 1001;
            x.depot.put_one(few.back());
            few.pop_back();
            if (with_allocations) {
                x.depot.put_one(x.depot.take_one());
            }
        }
        const auto s = x.depot.statistics();
        CHECK(s.resident_bytes <= s.slabs * linn::detail::page_bytes + (3 << 16));
    }
}

TEST_CASE("depot: without memory for its array a thread does not come, and its calls are served one by one") {
    pages::reset();
    fixture x{small_geometry()};
    // Uses up the arena's first chunk, so that the next array needs a page.
    pages::fail_from(1);
    while (x.arena.allocate(64) != nullptr) {
    }
    front f;
    CHECK_FALSE(x.depot.attach(f, 1));
    CHECK(f.home == nullptr);
    CHECK(x.depot.statistics().threads == 0);
    pages::fail_once(1);
    void* const p = x.depot.take_one();
    REQUIRE(p != nullptr);
    CHECK_FALSE(x.depot.attach(f, 1));
    x.depot.put_one(p);
    pages::work();
    REQUIRE(x.depot.attach(f, 1));
    put_many(x, f, take_many(x, f, 100));
    CHECK(x.depot.statistics().live == 0);
    CHECK(x.depot.consistent());
    x.depot.detach(f);
}

} // namespace sync_depot_memory_tests
