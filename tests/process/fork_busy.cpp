// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in pools, resources, recyclers or buffers may use them: what it
// had before the fork is intact and its own, what it gets is nobody else's, a limit stays exact, and what the threads that are
// gone had cached is not lost.
//
// Breaks when a lock is held by a thread that does not exist in the child, when the child waits for such a thread (it hangs, and
// the alarm ends it), or when something was copied in the middle of a change. Each fork comes while three threads are proven to
// be at work.
#include "busy_threads.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    std::size_t number;
    char bytes[40];
};
struct unused_before_the_fork {
    char bytes[500];
};

// --- the parts: get() gives an owner, check_child() looks at what only this part promises ---------------------

struct in_pool {
    using owner = linn::unique_ptr<item>;
    static owner get(std::size_t) { return linn::make_unique_for_overwrite<item>(); }
    static void trim() { linn::pool<item>::trim(); }
    static void check_child() {
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

struct in_limited_pool {
    static constexpr std::size_t most = 1000;
    using pool = linn::pool<item, linn::pool_options{.max_objects = most}>;
    struct give_back {
        void operator()(item* p) const { pool::deallocate(p); }
    };
    using owner = std::unique_ptr<item, give_back>;
    static owner get(std::size_t) { return owner{pool::allocate()}; }
    static void trim() { pool::trim(); }
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

struct in_resource {
    static inline linn::pool_resource all;
    struct give_back {
        std::size_t bytes = 0;
        void operator()(item* p) const { all.deallocate(p, bytes); }
    };
    using owner = std::unique_ptr<item, give_back>;
    static owner get(std::size_t i) {
        const std::size_t bytes = sizeof(item) + i % 700;
        return {static_cast<item*>(all.allocate(bytes)), give_back{bytes}};
    }
    static void trim() { all.trim(); }
    static void check_child() {
        for (const auto& s : all.statistics()) {
            CHECK_AT_MOST(s.threads, 1);
        }
    }
};

struct in_recycler {
    static inline auto* const all = new linn::recycler<item>{200};
    using owner = linn::recycler<item>::handle;
    static owner get(std::size_t) {
        all->acquire_shared().reset();
        return all->acquire();
    }
    static void trim() { all->trim(); }
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
struct in_buffers {
    static constexpr std::size_t bytes = 64 * linn_test::kib;
    static inline linn::buffer_pool all{bytes, {.retain_bytes = Retained * bytes}};
    using owner = linn::buffer;
    static owner get(std::size_t) { return all.acquire(); }
    static void trim() { all.trim(); }
    /// What the threads had in use that are gone is lost; what they cached is not.
    static void check_child() {
        const auto before = all.statistics();
        std::vector<linn::buffer> idle(before.cached);
        for (linn::buffer& b : idle) {
            b = all.acquire();
        }
        CHECK(all.statistics().mappings == before.mappings && all.statistics().cached == 0);
        linn::buffer_pool other{bytes};
        other.acquire().reset();
    }
};

// --- what is done with each ----------------------------------------------------------------------------------

template <class Owner>
item& object(const Owner& owner) {
    return *owner;
}
item& object(const linn::buffer& owner) {
    return *reinterpret_cast<item*>(owner.data());
}

/// Without operator new: the child of a program that is in AddressSanitizer's, in GCC 12, hangs at its own.
template <class Part>
void hammer(linn_test::busy_threads& threads) {
    std::array<typename Part::owner, 100> held{};
    for (std::size_t i = 0; threads.goes_on(); ++i) {
        auto& place = held[i * 37 % held.size()];
        place = {};
        place = Part::get(i);
        object(place).number = i;
        if (i % 1024 == 0) {
            Part::trim();
            held = {};
        }
        threads.worked();
    }
}

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
        threads.start([&threads] { hammer<Part>(threads); });
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
    fork_while_busy<in_pool>(100, 100);
    fork_while_busy<in_limited_pool>(50, 10);
    fork_while_busy<in_resource>(40, 100);
    fork_while_busy<in_recycler>(50, 100);
    fork_while_busy<in_buffers<2>>(30, 20);
    fork_while_busy<in_buffers<1000>>(30, 20);
    what_was_acquired_counts();
    a_recycler_ends();
    CHECK(linn::leak_report().empty());
}
