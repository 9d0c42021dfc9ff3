// SPDX-License-Identifier: Apache-2.0
// The homes of a pool: threads of two homes share no slab while there is memory, and no home keeps what another one needs.
#include "test_policy.hpp"
#include "unit.hpp"

namespace sync_depot_homes_tests {

struct tag {};
using policy = linn_test::test_policy<tag>;
using pages = policy::pages;
using depot = linn::detail::depot<policy>;
using linn_test::small_geometry;

/// A pool with threads that are made by hand. Its depots live for ever.
template <std::size_t Threads>
struct pool_of_threads {
    explicit pool_of_threads(std::string_view name, std::size_t retain = PTRDIFF_MAX) {
        const linn::detail::pool_description d{.sizes = small_geometry(retain),
                                               .type = linn::detail::label_of(name)};
        linn::detail::registry<policy>::slot_type slot{0};
        primary = linn::detail::registry<policy>::process().depot_in(slot, d);
        REQUIRE(primary != nullptr);
        for (std::size_t i = 0; i != Threads; ++i) {
            primary->home_for_thread().attach(fronts[i], i + 1);
        }
    }

    std::vector<void*> take(std::size_t thread, std::size_t n) {
        std::vector<void*> all;
        while (all.size() < n) {
            void* p = linn_test::take(*fronts[thread].home, fronts[thread]);
            if (p == nullptr) {
                break;
            }
            all.push_back(p);
        }
        return all;
    }
    void put(std::size_t thread, const std::vector<void*>& all) {
        for (void* p : all) {
            linn_test::put(*fronts[thread].home, fronts[thread], p);
        }
    }
    void leave(std::size_t thread) {
        if (depot* home = fronts[thread].home; home != nullptr) {
            home->detach(fronts[thread]);
        }
    }
    std::set<void*> slabs_of(const std::vector<void*>& all) const {
        std::set<void*> slabs;
        for (const void* p : all) {
            slabs.insert(linn::detail::slab::of(p, primary->sizes().slab_align));
        }
        return slabs;
    }
    ~pool_of_threads() {
        for (std::size_t i = 0; i != Threads; ++i) {
            leave(i);
        }
        CHECK(primary->consistent());
    }

    depot* primary = nullptr;
    linn::detail::front<policy> fronts[Threads];
};

TEST_CASE("depot homes: threads that take and give in turns share no slab") {
    pages::reset();
    constexpr std::size_t threads = 4;
    pool_of_threads<threads> x{"turns"};
    std::vector<void*> objects[threads];
    for (int round = 0; round != 20; ++round) {
        std::set<void*> slabs;
        std::size_t sum = 0;
        for (int part = 0; part != 6; ++part) {
            for (std::size_t i = 0; i != threads; ++i) {
                const auto some = x.take(i, 8);
                objects[i].insert(objects[i].end(), some.begin(), some.end());
            }
        }
        for (const auto& some : objects) {
            std::set<void*> own = x.slabs_of(some);
            sum += own.size();
            slabs.merge(own);
        }
        REQUIRE(slabs.size() == sum);
        for (std::size_t i = 0; i != threads; ++i) {
            x.put(i, {objects[i].begin() + 8, objects[i].end()});
            objects[i].resize(8);
        }
    }
    for (std::size_t i = 0; i != threads; ++i) {
        x.put(i, objects[i]);
        x.leave(i);
    }
    CHECK(x.primary->statistics().live == 0);
    CHECK(x.primary->statistics().cached == 0);
}

TEST_CASE("depot homes: what another thread freed comes before fresh memory") {
    pages::reset();
    pool_of_threads<2> x{"before fresh"};
    const auto all = x.take(1, 5000);
    const auto mine = x.take(0, 100);
    std::vector<void*> kept;
    std::vector<void*> freed; // half of the slabs become empty, others keep a survivor
    for (std::size_t i = 0; i != all.size(); ++i) {
        (i > 2500 && i % 700 == 0 ? kept : freed).push_back(all[i]);
    }
    x.put(1, freed);
    const std::size_t maps = pages::maps;
    const auto more = x.take(0, 3500);
    CHECK(more.size() == 3500);
    CHECK(pages::maps == maps);
    x.put(0, more);
    x.put(0, mine);
    x.put(0, kept);
    x.leave(0);
    x.leave(1);
    CHECK(x.primary->statistics().live == 0);
}

TEST_CASE("depot homes: the system is not asked about each object that another thread frees at random") {
    pages::reset();
    pool_of_threads<2> x{"few questions"};
    const auto mine = x.take(1, 1);
    for (int round = 0; round != 4; ++round) {
        auto all = x.take(0, 5000);
        linn_test::shuffle(all);
        x.put(1, all);
        // A few, until both ends of the other home's slabs are known. A checked build asks about each object.
        CHECK((linn::detail::checked_build || pages::questions < 100));
    }
    x.put(1, mine);
}

TEST_CASE("depot homes: what was reserved serves any thread without a call of the system") {
    pages::reset();
    pool_of_threads<3> x{"reserved"};
    if (x.primary->mode() == linn::detail::service::bypass) {
        return; // the general allocator has the objects
    }
    for (std::size_t i = 0; i != 3; ++i) {
        x.put(i, x.take(i, 1)); // the first magazine
    }
    REQUIRE(x.primary->reserve(5000));
    const std::size_t maps = pages::maps;
    const auto all = x.take(2, 4900);
    CHECK(all.size() == 4900);
    CHECK(pages::maps == maps);
    x.put(2, all);
}

TEST_CASE("depot homes: without memory a thread gets what lies in the slabs of idle ones, to the last slot") {
    pages::reset();
    pool_of_threads<3> x{"idle"};
    std::vector<void*> all;
    for (std::size_t i = 0; i != 3; ++i) {
        const auto some = x.take(i, 10);
        all.insert(all.end(), some.begin(), some.end());
    }
    std::size_t slots = 0;
    for (void* s : x.slabs_of(all)) {
        slots += static_cast<linn::detail::slab*>(s)->capacity;
    }
    REQUIRE(x.slabs_of(all).size() == 3);
    pages::fail_from(0);
    const auto rest = x.take(1, slots);
    pages::work();
    CHECK(pages::refusals > 0);
    CHECK(rest.size() + all.size() >= slots - 2 * 16); // but for what the others cache
    all.insert(all.end(), rest.begin(), rest.end());
    CHECK(std::set<void*>(all.begin(), all.end()).size() == all.size());
    x.put(0, all);
    for (std::size_t i = 0; i != 3; ++i) {
        x.leave(i);
    }
    CHECK(x.primary->statistics().live == 0);
}

TEST_CASE(
    "depot homes: trim goes on with the slabs of its home when another one takes a slab over meanwhile") {
    bool came = true;
    for (int moment = 0; came; ++moment) {
        CAPTURE(moment);
        pages::reset();
        pool_of_threads<2> x{"taken over"};
        const auto mine = x.take(0, 3000);
        const auto theirs = x.take(1, 3000);
        std::vector<void*> more;
        int unlocked = 0;
        came = false;
        policy::mutex::after_unlock = [&] {
            if (unlocked++ == moment) {
                came = true;
                x.put(0, mine);
                more = x.take(1, 3000);
                for (void* p : theirs) {
                    std::memset(p, 1, 64);
                }
                x.put(1, {theirs.begin() + 1, theirs.end()});
            }
        };
        x.primary->trim(nullptr);
        policy::mutex::after_unlock = nullptr;
        for (void* p : theirs) {
            REQUIRE((!came || *static_cast<char*>(p) != 0)); // the other home was not trimmed
        }
        if (!came) {
            x.put(0, mine);
            x.put(1, theirs);
        } else {
            x.put(1, {theirs.front()});
            x.put(1, more);
        }
    }
}

TEST_CASE("depot homes: memory of a home whose threads have gone goes back at the visits of others") {
    pages::reset();
    policy::clock::time = 1000;
    pool_of_threads<2> x{"gone", 0};
    const auto all = x.take(1, 10'000);
    const auto few = x.take(0, 200);
    x.put(1, all);
    x.leave(1);
    const std::size_t resident = x.primary->statistics().resident_bytes;
    for (int i = 0; i != 8; ++i) {
        policy::clock::time += 500;
        x.put(0, few);
        CHECK(x.take(0, 200).size() == 200);
    }
    CHECK(x.primary->statistics().resident_bytes < resident / 4);
    x.put(0, few);
}

} // namespace sync_depot_homes_tests
