// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in pools, resources, recyclers or buffers may use them: what it
// had before the fork is intact and its own, what it gets has no other owner, a limit stays exact, and what the threads that are
// gone had cached is not lost.
//
// Breaks when a lock is held by a thread that does not exist in the child, when the child waits for such a thread (it hangs, and
// the alarm ends it), or when something was copied in the middle of a change. Each fork comes while three threads are proven to
// be at work.
#include "parts.hpp"

namespace {

using namespace linn_test::parts;

struct unused_before_the_fork {
    char bytes[500];
};

// --- what only one of them promises in the child ----------------------------------------------------------------

struct busy_pool : in_pool {
    /// What the threads that are gone had cached is not live: neither counted nor visited.
    static void check_live() {
        std::size_t visited = 0;
        linn::pool<item>::for_each_live([&visited](item&) { ++visited; });
        CHECK(visited == linn::pool<item>::statistics().live);
    }
    static void check_child() {
        check_live();
        trim();
        check_live();
        linn_test::check_forked(&check_live);
        linn::unordered_map<int, int> map;
        for (int i = 0; i < 1000; ++i) {
            map.emplace(i, i);
        }
        linn::pool<unused_before_the_fork>::destroy(linn::pool<unused_before_the_fork>::create());
        for (const auto& s : linn::statistics()) {
            CHECK_AT_MOST(s.threads, 1); // of those before the fork only this one is here
            CHECK_AT_MOST(s.live, s.peak);
        }
    }
};

struct busy_limited_pool : in_limited_pool {
    /// What the threads that are gone held stays handed out; all else can be had, none lost in a cache of theirs.
    static void check_child() {
        CHECK(pool::statistics().cached == 0);
        for (std::size_t held = pool::statistics().live; held != most; ++held) {
            CHECK(pool::try_allocate() != nullptr);
        }
        CHECK(pool::try_allocate() == nullptr);
        CHECK(pool::for_each_live([](item& i) { pool::deallocate(&i); }) == most);
    }
};

struct busy_resource : in_resource {
    static void check_child() {
        for (const auto& s : all.statistics()) {
            CHECK_AT_MOST(s.threads, 1);
        }
    }
};

struct busy_recycler : in_recycler {
    static void check_child() {
        const std::weak_ptr<item> weak = all->acquire_shared();
        CHECK(weak.expired());
        CHECK_AT_MOST(all->idle(), all->capacity());
        CHECK(all->statistics().threads == 1);
        all->trim();
        CHECK(all->idle() == 0);
    }
};

template <std::size_t Retained>
struct busy_buffers : in_buffers<Retained> {
    /// What the threads had in use that are gone is lost; what they cached is not.
    static void check_child() {
        auto& all = in_buffers<Retained>::all;
        const auto before = all.statistics();
        std::vector<linn::buffer> idle(before.cached);
        for (linn::buffer& b : idle) {
            b = all.acquire();
        }
        CHECK(all.statistics().mappings == before.mappings && all.statistics().cached == 0);
        linn::buffer_pool other{all.bytes()};
        other.acquire().reset();
    }
};

// --- what is done with each ----------------------------------------------------------------------------------

template <class Part>
void check_numbers(const std::vector<typename Part::owner>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(object(all[i]).number == i);
    }
}

template <class Part>
void in_the_child(std::vector<typename Part::owner>& before) {
    check_numbers<Part>(before);
    std::set<item*> different;
    for (const auto& owner : before) {
        CHECK(different.insert(&object(owner)).second);
    }
    std::vector<typename Part::owner> fresh;
    for (std::size_t i = 0; i < 300; ++i) {
        fresh.push_back(Part::get(i));
        CHECK(different.insert(&object(fresh.back())).second);
        object(fresh.back()).number = ~std::size_t{0};
    }
    check_numbers<Part>(before);
    before.clear();
    for (const auto& owner : fresh) {
        CHECK(object(owner).number == ~std::size_t{0});
    }
    fresh.clear();
    Part::check_child();
    Part::trim();
    if constexpr (!linn_test::tsan && !linn_test::asan) { // which do not know threads after such a fork
        std::thread{[] { static_cast<void>(Part::get(0)); }}.join();
    }
}

template <class Part>
void fork_while_busy(std::size_t forks, std::size_t pieces) {
    std::vector<typename Part::owner> before;
    for (std::size_t i = 0; i < 100; ++i) {
        before.push_back(Part::get(i));
        object(before.back()).number = i;
    }
    linn_test::busy_threads threads;
    for (int t = 0; t < 3; ++t) {
        threads.start([&threads] { keep_busy<Part>(threads); });
    }
    threads.fork(forks, 20, pieces, [&] { in_the_child<Part>(before); });
    threads.join();
    check_numbers<Part>(before);
}

/// The child counts the buffers that the threads that are gone had acquired from their caches.
void what_was_acquired_counts() {
    static linn::buffer_pool counted{in_buffers<2>::bytes};
    const auto acquire = [] {
        for (int i = 0; i < 100; ++i) {
            counted.acquire().reset();
        }
    };
    linn_test::check_forked_beside(acquire, [] { CHECK(counted.statistics().acquired == 100); });
    CHECK(counted.statistics().acquired == 100);
}

/// A recycler may end in the child, before the objects that the threads that are gone had.
void a_recycler_ends() {
    auto* const all = new linn::recycler<item>;
    const auto mine = all->acquire();
    linn_test::check_forked_within(
        [all](auto&& wait) {
            const auto theirs = all->acquire();
            wait();
        },
        [all] { delete all; });
    delete all;
}

} // namespace

int main() {
    fork_while_busy<busy_pool>(100, 100);
    fork_while_busy<busy_limited_pool>(50, 10);
    fork_while_busy<busy_resource>(40, 100);
    fork_while_busy<busy_recycler>(50, 100);
    fork_while_busy<busy_buffers<2>>(30, 20);
    fork_while_busy<busy_buffers<1000>>(30, 20);
    what_was_acquired_counts();
    a_recycler_ends();
    CHECK(linn::leak_report().empty());
}
