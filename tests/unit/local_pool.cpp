// SPDX-License-Identifier: Apache-2.0
// Promise: a local_pool has its memory for itself: it takes none before it is used, release() drops all objects at once, trim()
// returns the memory when nothing is alive, and objects that outlive it are reported and stay valid. What all pools promise
// is in every_pool.cpp.
#include "misuse_recorder.hpp"
#include "unit.hpp"

#include <linn/local_pool.hpp>

namespace local_pool_tests {

using linn::local_pool;
using linn::misuse_kind;
using linn::survivors;
using linn_test::misuse_recorder;

struct node {
    node* next = nullptr;
    std::uint64_t value = 0;
};

static_assert(!std::is_copy_constructible_v<local_pool<node>>);
static_assert(std::is_nothrow_default_constructible_v<local_pool<node>>);
static_assert(std::is_same_v<local_pool<node>::value_type, node>);

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
        for (std::size_t i = 0; i < 40; ++i) {
            if (i != 30 && i != 7) {
                pool.deallocate(all[i]);
            }
        }
    }
    // The count must not make up for the one that is alive: its memory is kept.
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].kind == misuse_kind::double_free);
    CHECK(seen[1].kind == misuse_kind::objects_alive);
    CHECK(seen[1].count == 1);
}

} // namespace local_pool_tests
