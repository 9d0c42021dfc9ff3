// SPDX-License-Identifier: Apache-2.0
// Promise: a view of a thread does what the pool does, and no lock is taken while a magazine lasts; bulk calls take as few locks as
// single ones, and hand out neighbours; the function of for_each_live may use the pool. What all pools promise is in every_pool.cpp;
// any sequence of calls, threads that cache, end and hand over: tests/fuzz; the child of a fork: process/fork_busy.cpp.
#include "process_pool.hpp"
#include "unit.hpp"

#include <linn/local_pool.hpp>
#include <linn/pool.hpp>

namespace pool_tests {

using linn::pool;
using linn_test::caching;
using linn_test::pooling;

template <int Tag>
struct item {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
};

static_assert(std::is_same_v<pool<int>::value_type, int>);
static_assert(!std::is_default_constructible_v<pool<int>>);
static_assert(noexcept(pool<int>::trim()));
static_assert(noexcept(pool<int>::statistics()));
static_assert(std::is_same_v<decltype(pool<const int>::allocate()), const int*>);

struct awkward {
    int value = 3;
    awkward* operator&() { return nullptr; }
    const awkward* operator&() const { return nullptr; }
};

struct last final {
    explicit last(int v) : value{v} {}
    virtual ~last() = default;
    virtual int twice() const { return 2 * value; }
    int value;
};

struct recursive {
    explicit recursive(int depth) : child{depth > 0 ? pool<recursive>::create(depth - 1) : nullptr} {}
    ~recursive() { pool<recursive>::destroy(child); }
    recursive* child;
};

TEST_CASE("pool: unusual types") {
    awkward* a = pool<awkward>::create();
    REQUIRE(a != nullptr);
    CHECK(a->value == 3);
    pool<awkward>::destroy(a);

    const int* c = pool<const int>::create(5);
    CHECK(*c == 5);
    pool<const int>::destroy(c);

    last* l = pool<last>::create(21);
    CHECK(l->twice() == 42);
    pool<last>::destroy(l);

    auto* function = pool<int (*)(int)>::create(nullptr);
    pool<int (*)(int)>::destroy(function);
    auto* triple = pool<std::array<char, 3>>::create();
    pool<std::array<char, 3>>::destroy(triple);
}

TEST_CASE("pool: objects whose constructor and destructor use the same pool") {
    recursive* r = pool<recursive>::create(500);
    CHECK(pool<recursive>::statistics().live == 501);
    pool<recursive>::destroy(r);
    CHECK(pool<recursive>::statistics().live == 0);
}

TEST_CASE("pool: no depot visit while a magazine lasts") {
    using type = item<8>;
    std::vector<type*> warm(1000);
    pool<type>::allocate_n(warm);
    pool<type>::deallocate_n(warm);
    const std::size_t before = pool<type>::statistics().depot_visits;
    for (int i = 0; i < 10'000; ++i) {
        pool<type>::deallocate(pool<type>::allocate());
    }
    if (caching()) {
        CHECK(pool<type>::statistics().depot_visits - before <= 1);
    }
    CHECK(pool<type>::statistics().live == 0);
}

TEST_CASE("pool: a view of this thread does what the pool does") {
    using view_item = item<90>;
    const auto here = pool<view_item>::on_this_thread();
    static_assert(sizeof here == sizeof(void*) && std::is_trivially_copyable_v<decltype(here)>);
    std::set<view_item*> all;
    for (std::uint64_t i = 0; i != 3000; ++i) {
        view_item* p = i % 3 == 0   ? here.create(i, i, i)
                       : i % 3 == 1 ? pool<view_item>::create(i, i, i)
                                    : std::construct_at(here.try_allocate(), view_item{i, i, i});
        REQUIRE(all.insert(p).second);
    }
    CHECK(pool<view_item>::statistics().live == 3000);
    CHECK(
        std::all_of(all.begin(), all.end(), [](const view_item* p) { return p->a == p->b && p->b == p->c; }));
    // Another thread frees some, by a view of its own and without one.
    std::vector<view_item*> theirs{all.begin(), std::next(all.begin(), 1000)};
    std::thread{[&theirs] {
        const auto there = pool<view_item>::on_this_thread();
        for (std::size_t i = 0; i != theirs.size(); ++i) {
            i % 2 == 0 ? there.destroy(theirs[i]) : pool<view_item>::destroy(theirs[i]);
        }
    }}.join();
    std::for_each(std::next(all.begin(), 1000), all.end(), [&here](view_item* p) { here.destroy(p); });
    here.destroy(nullptr);
    CHECK(pool<view_item>::statistics().live == 0);
}

#if defined(__cpp_exceptions)
TEST_CASE("pool: what a constructor throws passes a view, and the storage is back") {
    struct refuses {
        refuses() { throw std::runtime_error{"no"}; }
        long words[4] = {};
    };
    CHECK_THROWS_AS(static_cast<void>(pool<refuses>::on_this_thread().create()), std::runtime_error);
    CHECK(pool<refuses>::statistics().live == 0);
}
#endif

TEST_CASE("bulk: a magazine is moved whole, with as few visits to the depot as single calls make") {
    using burst_pool = pool<item<4>>;
    if (!caching()) {
        return; // there are no magazines
    }
    std::vector<item<4>*> burst(10'000);
    const auto visits = [] { return burst_pool::statistics().depot_visits; };
    burst_pool::allocate_n(burst);
    burst_pool::deallocate_n(burst);
    std::size_t before = visits();
    for (item<4>*& p : burst) {
        p = burst_pool::allocate();
    }
    for (item<4>* p : burst) {
        burst_pool::deallocate(p);
    }
    const std::size_t single = visits() - before;
    before = visits();
    burst_pool::allocate_n(burst);
    burst_pool::deallocate_n(burst);
    CHECK(visits() - before <= single + 2);
    // What fits into the caches needs none.
    burst_pool::allocate_n(std::span{burst}.first(50));
    before = visits();
    for (int i = 0; i < 100; ++i) {
        burst_pool::deallocate_n(std::span{burst}.first(50));
        burst_pool::allocate_n(std::span{burst}.first(50));
    }
    CHECK(visits() - before <= 2);
    burst_pool::deallocate_n(std::span{burst}.first(50));
}

TEST_CASE("bulk: fresh objects lie one after the other, and the same run comes back in the same order") {
    if (!pooling() || linn::detail::checked_build) {
        return;
    }
    const auto ascending = [](const auto& run) {
        std::size_t n = 0;
        for (std::size_t i = 1; i < run.size(); ++i) {
            n += run[i] == run[i - 1] + 1 ? 1U : 0U;
        }
        return n;
    };
    linn_test::process_pool<item<20>> shared;
    std::vector<item<20>*> a(1000);
    shared.allocate_n(a);
    CHECK(ascending(a) >= 990); // a slab may end
    shared.deallocate_n(a);
    shared.allocate_n(a);
    CHECK(ascending(a) >= 900); // magazine by magazine

    linn::local_pool<item<21>> own;
    std::vector<item<21>*> b(1000);
    own.allocate_n(b);
    CHECK(ascending(b) >= 980);
    own.deallocate_n(b);
}

TEST_CASE("for_each_live: the function may destroy what it is given, and create") {
    using visited = pool<item<3>>;
    for (std::size_t i = 0; i < 5000; ++i) {
        visited::create()->a = i;
    }
    std::vector<item<3>*> created;
    const std::size_t n = visited::for_each_live([&](item<3>& object) {
        if (object.a % 3 == 0) {
            visited::destroy(&object);
        } else if (object.a % 3 == 1) {
            created.push_back(visited::create());
        }
    });
    CHECK(n == 5000);
    CHECK(visited::statistics().live == 5000 - 1667 + 1667);
    CHECK(visited::for_each_live([](item<3>& object) { visited::destroy(&object); }) == 5000);
    CHECK(visited::statistics().live == 0);
    // Another pool, from inside; and what it throws comes through.
    static_cast<void>(visited::create());
    static_cast<void>(visited::create());
    int calls = 0;
    CHECK_THROWS_AS(visited::for_each_live([&](item<3>&) {
                        pool<item<1>>::destroy(pool<item<1>>::create());
                        if (++calls == 2) {
                            throw std::runtime_error{"enough"};
                        }
                    }),
                    std::runtime_error);
    CHECK(calls == 2);
    CHECK(visited::for_each_live([](item<3>& object) { visited::destroy(&object); }) == 2);
}

struct shared_item {
    std::size_t words[7];
};

/// As two modules have it that both hide their pool of a type, and not the rest of the library.
constexpr linn::detail::pool_description as_both_say{
    linn::detail::geometry_for(sizeof(shared_item), alignof(shared_item), {}),
    linn::detail::label_of("shared_item")};
linn::detail::pool_root<linn::detail::platform> one_module{.description = &as_both_say};
linn::detail::pool_root<linn::detail::platform> other_module{.description = &as_both_say};
constinit thread_local linn::detail::front<linn::detail::platform> front_of_one{};
constinit thread_local linn::detail::front<linn::detail::platform> front_of_other{};

void* take(linn::detail::front<linn::detail::platform>& f,
           linn::detail::pool_root<linn::detail::platform>& module) {
    void* object = nullptr;
    return f.try_pop(object) ? object : linn::detail::allocate_slow(f, module);
}
void put(linn::detail::front<linn::detail::platform>& f,
         linn::detail::pool_root<linn::detail::platform>& module, void* object) {
    if (!f.try_push(object)) {
        linn::detail::deallocate_slow(f, module, object);
    }
}

TEST_CASE("for_each_live: what another module's pool of the same type has cached is not live") {
    std::size_t found = 0;
    std::set<void*> expected;
    std::set<void*> seen;
    std::thread{[&] {
        std::vector<void*> all;
        for (int i = 0; i < 300; ++i) {
            all.push_back(take(front_of_one, one_module));
        }
        void* theirs = take(front_of_other, other_module);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 3 == 0) {
                put(front_of_other, other_module, all[i]);
            } else {
                expected.insert(all[i]);
            }
        }
        linn::detail::pointer_list<linn::detail::platform::pages> live;
        CHECK(linn::detail::existing_depot(one_module)->collect_live(live));
        found = live.size();
        seen.insert(live.begin(), live.end());
        for (void* object : expected) {
            put(front_of_one, one_module, object);
        }
        put(front_of_other, other_module, theirs);
    }}.join();
    CHECK(found == expected.size());
    CHECK(seen == expected);
}

} // namespace pool_tests
