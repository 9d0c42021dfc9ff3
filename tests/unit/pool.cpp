// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <linn/pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

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
static_assert(noexcept(pool<int>::try_allocate()));
static_assert(noexcept(pool<int>::deallocate(nullptr)));
static_assert(noexcept(pool<int>::destroy(nullptr)));
static_assert(noexcept(pool<int>::trim()));
static_assert(noexcept(pool<int>::statistics()));
static_assert(std::is_same_v<decltype(pool<const int>::allocate()), const int*>);

template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) sized {
    unsigned char data[Bytes];
};

template <class T>
void fill_and_check(std::size_t n) {
    std::vector<T*> all;
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) {
        T* p = pool<T>::allocate();
        right = right && reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
        std::fill(std::begin(p->data), std::end(p->data), static_cast<unsigned char>(i));
        all.push_back(p);
    }
    CHECK(pool<T>::statistics().live == n);
    for (std::size_t i = 0; i < n; ++i) {
        right = right && std::all_of(std::begin(all[i]->data), std::end(all[i]->data),
                                     [i](unsigned char c) { return c == static_cast<unsigned char>(i); });
        pool<T>::deallocate(all[i]);
    }
    CHECK(right);
    CHECK(pool<T>::statistics().live == 0);
    if (!linn::detail::checked_build) { // where each object has guards around it
        CHECK(pool<T>::statistics().slot_bytes == sizeof(T));
    }
}

} // namespace

TEST_CASE("pool: sizes and alignments") {
    fill_and_check<sized<1, 1>>(3000);
    fill_and_check<sized<3, 1>>(3000);
    fill_and_check<sized<24, 8>>(3000);
    fill_and_check<sized<64, 64>>(1000);
    fill_and_check<sized<1500, 4>>(500);
    fill_and_check<sized<4096, 4096>>(50);
    fill_and_check<sized<300 << 10, 8>>(10);
    fill_and_check<sized<5 << 20, 64>>(3);
}

TEST_CASE("pool: freed in any order, then allocated again") {
    using type = item<1>;
    for (int order = 0; order < 4; ++order) {
        linn_test::random_source random{9};
        for (int round = 0; round < 3; ++round) {
            std::vector<type*> all;
            for (std::uint64_t i = 0; i < 5000; ++i) {
                all.push_back(pool<type>::create(type{i, i, i}));
            }
            CHECK(pool<type>::statistics().live == 5000);
            CHECK(std::set<type*>(all.begin(), all.end()).size() == all.size());
            if (order == 1) {
                std::reverse(all.begin(), all.end());
            } else if (order == 2) {
                std::shuffle(all.begin(), all.end(), random);
            } else if (order == 3) {
                std::partition(all.begin(), all.end(), [](const type* p) { return p->a % 2 != 0; });
            }
            bool intact = true;
            for (type* p : all) {
                intact = intact && p->a == p->b && p->b == p->c;
                pool<type>::destroy(p);
            }
            CHECK(intact);
            CHECK(pool<type>::statistics().live == 0);
        }
    }
    if (pooling()) {
        CHECK(pool<type>::statistics().reserved_bytes <=
              2 * 5000 * pool<type>::statistics().slot_bytes + (64 << 10));
    }
}

TEST_CASE("pool: create forwards its arguments as they are") {
    struct probe {
        probe(std::unique_ptr<int> o, const std::string& copied, std::string&& m)
            : owned{std::move(o)},
              text{copied},
              moved{std::move(m)} {}
        std::unique_ptr<int> owned;
        std::string text;
        std::string moved;
    };
    const std::string copied = "a string too long for the small buffer of strings";
    std::string moved = copied;
    probe* p = pool<probe>::create(std::make_unique<int>(7), copied, std::move(moved));
    CHECK(*p->owned == 7);
    CHECK(p->text == copied);
    CHECK(p->moved == copied);
    pool<probe>::destroy(p);
    pool<probe>::destroy(nullptr);
    CHECK(pool<probe>::statistics().live == 0);
}

TEST_CASE("pool: a constructor that throws gives its storage back") {
    struct fussy {
        explicit fussy(bool fail) {
            if (fail) {
                throw std::runtime_error{"no"};
            }
        }
        char bytes[40] = {};
    };
    fussy* kept = pool<fussy>::create(false);
    for (int i = 0; i < 1000; ++i) {
        CHECK_THROWS_AS(static_cast<void>(pool<fussy>::create(true)), std::runtime_error);
    }
    CHECK(pool<fussy>::statistics().live == 1);
    CHECK(pool<fussy>::statistics().slabs <= 1);
    pool<fussy>::destroy(kept);
}

namespace {

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

} // namespace

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

TEST_CASE("pool: many at once") {
    using type = item<2>;
    std::vector<type*> all(3000);
    pool<type>::allocate_n(all);
    CHECK(pool<type>::statistics().live == 3000);
    CHECK(std::set<type*>(all.begin(), all.end()).size() == 3000);
    pool<type>::deallocate_n(all);
    CHECK(pool<type>::statistics().live == 0);
    pool<type>::allocate_n({});
    pool<type>::deallocate_n({});
    CHECK(pool<type>::statistics().live == 0);
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

TEST_CASE("pool: trim returns what nobody uses") {
    using type = item<4>;
    std::vector<type*> all(50'000);
    pool<type>::allocate_n(all);
    for (type* p : all) {
        p->a = 1;
    }
    CHECK(pool<type>::trim() <= 64 << 10);
    pool<type>::deallocate_n(all);
    const auto before = pool<type>::statistics();
    const std::size_t bytes = pool<type>::trim();
    const auto after = pool<type>::statistics();
    CHECK(after.cached == 0);
    CHECK(after.live == 0);
    if (pooling()) {
        CHECK(bytes >= 50'000 * sizeof(type) * 9 / 10);
        CHECK(after.returned_bytes - before.returned_bytes == bytes);
        CHECK(after.resident_bytes <= after.slabs * 4096);
    }
    pool<type>::deallocate(pool<type>::allocate());
}

TEST_CASE("pool: owns knows its memory from other memory") {
    using type = item<5>;
    using other = item<6>;
    type* p = pool<type>::allocate();
    other* q = pool<other>::allocate();
    const volatile type* seen = p;
    CHECK(pool<type>::owns(seen));
    CHECK_FALSE(pool<type>::owns(q));
    CHECK_FALSE(pool<type>::owns(&p));
    CHECK_FALSE(pool<type>::owns(nullptr));
    pool<type>::deallocate(p);
    pool<other>::deallocate(q);
}

TEST_CASE("pool: live is exact at quiescence, whoever frees and whoever has gone") {
    using type = item<7>;
    std::vector<type*> all;
    for (int round = 0; round < 5; ++round) {
        std::vector<std::vector<type*>> made(4);
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; i < 700 + t; ++i) {
                    made[t].push_back(pool<type>::create(type{i, t, i + t}));
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        threads.clear();
        CHECK(pool<type>::statistics().live == 4 * 700 + 6);
        CHECK(pool<type>::statistics().threads <= 1);
        // Each frees what its neighbour made.
        for (std::size_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (type* p : made[(t + 1) % 4]) {
                    CHECK_UNARY(p->a + p->b == p->c);
                    pool<type>::destroy(p);
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        CHECK(pool<type>::statistics().live == 0);
    }
    if (pooling()) {
        CHECK(pool<type>::statistics().reserved_bytes <=
              10 * 3000 * pool<type>::statistics().slot_bytes + (64 << 10));
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

TEST_CASE("pool: try_allocate gives what allocate gives") {
    using type = item<9>;
    std::vector<type*> all;
    for (int i = 0; i < 300; ++i) {
        all.push_back(pool<type>::try_allocate());
        REQUIRE(all.back() != nullptr);
    }
    CHECK(std::set<type*>(all.begin(), all.end()).size() == 300);
    pool<type>::deallocate_n(all);
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
