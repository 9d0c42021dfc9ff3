// SPDX-License-Identifier: Apache-2.0
// Promise: a view of a thread does what the pool does, reserve keeps its word, and no lock is taken while a magazine lasts. What all
// pools promise is in every_pool.cpp; any thread frees what any thread allocated: tests/fuzz and tests/stress.

#include "unit.hpp"

#include <linn/pool.hpp>

namespace pool_tests {

using linn::pool;

/// Whether pools hold slabs and magazines here, and not one block of the heap for each object.
bool pooling() {
    return !linn::detail::sanitizer_bypass && !linn::detail::running_on_memcheck();
}

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

class guarded {
public:
    explicit guarded(int v) : value{v} {}
    int value;
    static inline int destroyed = 0;

private:
    friend class linn::pool<guarded>;
    ~guarded() { ++destroyed; }
};

struct last final {
    explicit last(int v) : value{v} {}
    virtual ~last() = default;
    virtual int twice() const { return 2 * value; }
    int value;
};

struct recursive {
    explicit recursive(int depth) : child{depth > 0 ? pool<recursive>::create(depth - 1) : nullptr} {}
    recursive(const recursive&) = delete;
    recursive& operator=(const recursive&) = delete;
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

    guarded* g = pool<guarded>::create(4);
    CHECK(g->value == 4);
    pool<guarded>::destroy(g);
    CHECK(guarded::destroyed == 1);

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

TEST_CASE("pool: reserve maps now what would be mapped later") {
    using type = item<3>;
    pool<type>::reserve(10'000);
    const auto before = pool<type>::statistics();
    std::vector<type*> all(10'000);
    pool<type>::allocate_n(all);
    CHECK(pool<type>::statistics().reserved_bytes == before.reserved_bytes);
    CHECK(pool<type>::statistics().slabs == before.slabs);
    pool<type>::deallocate_n(all);
    if (pooling()) {
        CHECK(before.reserved_bytes >= 10'000 * sizeof(type));
        CHECK(before.resident_bytes < 100'000);
    }
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
    if (pooling() && !linn::detail::checked_build && linn::detail::threads_hold_fronts) {
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

} // namespace pool_tests
