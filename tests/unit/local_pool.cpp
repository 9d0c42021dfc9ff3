// SPDX-License-Identifier: Apache-2.0
#include "misuse_recorder.hpp"
#include "random.hpp"
#include "sizes.hpp"

#include <linn/local_pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using linn::local_pool;
using linn::misuse_kind;
using linn::survivors;
using linn_test::misuse_recorder;

struct node {
    node* next = nullptr;
    std::uint64_t value = 0;
};

struct counted {
    explicit counted(int v) : value{v} {
        if (v < 0) {
            throw std::runtime_error{"negative"};
        }
        ++alive;
    }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
    int value;
    static inline int alive = 0;
};

template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) sized {
    unsigned char data[Bytes];
};

static_assert(!std::is_copy_constructible_v<local_pool<node>>);
static_assert(std::is_nothrow_default_constructible_v<local_pool<node>>);
static_assert(noexcept(std::declval<local_pool<node>&>().try_allocate()));
static_assert(std::is_same_v<local_pool<node>::value_type, node>);

/// Objects do not overlap: each is filled with a byte of its own, and all are looked at in the end.
template <class T>
void fill_and_check(std::size_t n) {
    local_pool<T> pool;
    std::vector<T*> all;
    for (std::size_t i = 0; i < n; ++i) {
        T* p = pool.allocate();
        REQUIRE(reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0);
        std::fill(std::begin(p->data), std::end(p->data), static_cast<unsigned char>(i));
        all.push_back(p);
    }
    bool intact = true;
    for (std::size_t i = 0; i < n; ++i) {
        intact = intact && all[i]->data[0] == static_cast<unsigned char>(i) &&
                 *std::rbegin(all[i]->data) == static_cast<unsigned char>(i);
        pool.deallocate(all[i]);
    }
    CHECK(intact);
    CHECK(pool.live() == 0);
}

} // namespace

TEST_CASE("local_pool: creating one allocates nothing") {
    local_pool<node> pool;
    const auto s = pool.statistics();
    CHECK(s.slabs == 0);
    CHECK(s.reserved_bytes == 0);
    CHECK(s.live == 0);
    CHECK(s.object_bytes == sizeof(node));
    CHECK(s.threads == 1);
    CHECK(s.type.find("node") != std::string::npos);
}

TEST_CASE("local_pool: sizes and alignments") {
    fill_and_check<sized<1, 1>>(3000);
    fill_and_check<sized<3, 1>>(3000);
    fill_and_check<sized<24, 8>>(3000);
    fill_and_check<sized<64, 64>>(500);
    fill_and_check<sized<1500, 4>>(300);
    fill_and_check<sized<4096, 4096>>(20);
    fill_and_check<sized<300 << 10, 8>>(5);
}

TEST_CASE("local_pool: freed in any order, live is exact at each step") {
    for (int order = 0; order < 4; ++order) {
        local_pool<node> pool;
        linn_test::random_source random{7};
        std::size_t slabs = 0;
        for (int round = 0; round < 3; ++round) {
            std::vector<node*> all;
            for (std::size_t i = 0; i < 2000; ++i) {
                all.push_back(pool.create(node{nullptr, i}));
                REQUIRE(pool.live() == i + 1);
            }
            CHECK(std::set<node*>(all.begin(), all.end()).size() == all.size());
            bool intact = true;
            for (std::size_t i = 0; i < 2000; ++i) {
                intact = intact && all[i]->value == i;
            }
            CHECK(intact);
            if (order == 1) {
                std::reverse(all.begin(), all.end());
            } else if (order == 2) {
                std::shuffle(all.begin(), all.end(), random);
            } else if (order == 3) {
                std::partition(all.begin(), all.end(), [](const node* p) { return p->value % 2 != 0; });
            }
            for (std::size_t i = 0; i < 2000; ++i) {
                pool.destroy(all[i]);
                REQUIRE(pool.live() == 1999 - i);
            }
            CHECK((round == 0 || pool.statistics().slabs == slabs));
            slabs = pool.statistics().slabs;
        }
        CHECK(pool.statistics().peak >= 2000);
        CHECK(pool.statistics().live + pool.statistics().cached <= 200);
    }
}

TEST_CASE("local_pool: a constructor that throws gives its storage back") {
    local_pool<counted> pool;
    counted* kept = pool.create(5);
    for (int i = 0; i < 500; ++i) {
        CHECK_THROWS_AS(static_cast<void>(pool.create(-1)), std::runtime_error);
    }
    CHECK(pool.live() == 1);
    CHECK(pool.statistics().slabs == 1);
    CHECK(kept->value == 5);
    pool.destroy(kept);
    pool.destroy(nullptr);
    CHECK(counted::alive == 0);
}

TEST_CASE("local_pool: many at once") {
    local_pool<node> pool;
    std::vector<node*> all(1000);
    pool.allocate_n(all);
    CHECK(pool.live() == 1000);
    CHECK(std::set<node*>(all.begin(), all.end()).size() == 1000);
    pool.deallocate_n(all);
    CHECK(pool.live() == 0);
    pool.allocate_n({});
    pool.deallocate_n({});
    CHECK(pool.live() == 0);
}

TEST_CASE("local_pool: release drops all at once and keeps the memory") {
    local_pool<node> pool;
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 3000; ++i) {
            pool.allocate()->value = 1;
        }
        CHECK(pool.live() == 3000);
        const std::size_t reserved = pool.statistics().reserved_bytes;
        pool.release();
        CHECK(pool.live() == 0);
        CHECK(pool.statistics().cached == 0);
        CHECK(pool.statistics().reserved_bytes == reserved);
    }
    CHECK(pool.statistics().peak < 3300);
}

TEST_CASE("local_pool: trim frees the memory only when nothing is alive") {
    local_pool<node> pool;
    node* kept = pool.allocate();
    std::vector<node*> all(1000);
    pool.allocate_n(all);
    pool.deallocate_n(all);
    CHECK(pool.trim() == 0);
    CHECK(pool.live() == 1);
    pool.deallocate(kept);
    const std::size_t reserved = pool.statistics().reserved_bytes;
    CHECK(pool.trim() == reserved);
    CHECK(pool.statistics().reserved_bytes == 0);
    CHECK(pool.statistics().slabs == 0);
    pool.deallocate(pool.allocate());
    CHECK(pool.live() == 0);
}

TEST_CASE("local_pool: reserve maps now what would be mapped later") {
    local_pool<node> pool;
    pool.reserve(5000);
    const std::size_t reserved = pool.statistics().reserved_bytes;
    CHECK(reserved >= 5000 * sizeof(node));
    std::vector<node*> all(5000);
    pool.allocate_n(all);
    CHECK(pool.statistics().reserved_bytes == reserved);
    pool.deallocate_n(all);
}

TEST_CASE("local_pool: options of slab and magazine are kept") {
    local_pool<node, {.slab_bytes = 1 << 14, .magazine_slots = 4}> pool;
    std::vector<node*> all(5000);
    pool.allocate_n(all);
    CHECK(pool.statistics().reserved_bytes <= pool.statistics().slabs << 14);
    pool.deallocate_n(all);
    CHECK(pool.statistics().cached <= 4);
    local_pool<char, {.cache_line_padding = true}> padded;
    char* a = padded.allocate();
    char* b = padded.allocate();
    CHECK((a > b ? a - b : b - a) >= 64);
    padded.deallocate(a);
    padded.deallocate(b);
}

TEST_CASE("local_pool: survivors are reported, and stay valid") {
    misuse_recorder recorder;
    static node* survivor = nullptr; // reachable, or it would count as a leak
    const void* where = nullptr;
    {
        local_pool<node> pool;
        where = &pool;
        survivor = pool.create(node{nullptr, 42});
        static_cast<void>(pool.allocate());
        pool.deallocate(pool.allocate());
    }
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == misuse_kind::objects_alive);
    CHECK(seen[0].count == 2);
    CHECK(seen[0].address == where);
    CHECK(seen[0].type.find("node") != std::string::npos);
    CHECK(survivor->value == 42);
}

TEST_CASE("local_pool: survivors are kept silently where that is wished") {
    misuse_recorder recorder;
    static node* survivor = nullptr;
    {
        local_pool<node, {.on_survivors = survivors::keep}> pool;
        survivor = pool.create(node{nullptr, 43});
    }
    CHECK(recorder.take().empty());
    CHECK(survivor->value == 43);
}

TEST_CASE("local_pool: a pool without survivors says nothing, whatever the policy") {
    misuse_recorder recorder;
    {
        local_pool<node, {.on_survivors = survivors::abort}> pool;
        pool.deallocate(pool.allocate());
        static_cast<void>(pool.allocate());
        pool.release();
    }
    CHECK(recorder.take().empty());
}

TEST_CASE("local_pool: a double free is noticed, at the latest at the end") {
    misuse_recorder recorder;
    {
        local_pool<node> pool;
        std::vector<node*> all(40);
        pool.allocate_n(all);
        static node* alive = nullptr;
        alive = all[7];
        CHECK(alive != nullptr);
        pool.deallocate(all[30]);
        pool.deallocate(all[30]);
        if (linn::detail::checked_build) {
            const auto seen = recorder.take();
            REQUIRE(seen.size() == 1);
            CHECK(seen[0].kind == misuse_kind::double_free);
            CHECK(pool.live() == 39);
            int foreign = 0;
            pool.deallocate(reinterpret_cast<node*>(&foreign));
            pool.deallocate(reinterpret_cast<node*>(reinterpret_cast<char*>(all[3]) + 8));
            const auto more = recorder.take();
            REQUIRE(more.size() == 2);
            CHECK(more[0].kind == misuse_kind::foreign_pointer);
            CHECK(more[1].kind == misuse_kind::interior_pointer);
            CHECK(pool.live() == 39);
        }
        for (std::size_t i = 0; i < 40; ++i) {
            if (i != 30 && i != 7) {
                pool.deallocate(all[i]);
            }
        }
    }
    // The count must not make up for the one that is alive: its memory is kept.
    const auto seen = recorder.take();
    REQUIRE(seen.size() == (linn::detail::checked_build ? 1 : 2));
    CHECK(seen.back().kind == misuse_kind::objects_alive);
    CHECK(seen.back().count == 1);
    CHECK((linn::detail::checked_build || seen[0].kind == misuse_kind::double_free));
}

TEST_CASE("local_pool: owns knows its memory from that of others") {
    linn::local_pool<long> pool;
    linn::local_pool<long> other;
    long mine = 0;
    CHECK_FALSE(pool.owns(&mine));
    CHECK_FALSE(pool.owns(nullptr));
    long* const p = pool.create(1L);
    long* const q = other.create(2L);
    CHECK(pool.owns(p));
    CHECK(pool.owns(reinterpret_cast<const char*>(p) + 3));
    CHECK_FALSE(pool.owns(q));
    CHECK(other.owns(q));
    CHECK_FALSE(pool.owns(&mine));
    pool.destroy(p);
    other.destroy(q);
}
