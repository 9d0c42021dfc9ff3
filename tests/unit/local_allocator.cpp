// SPDX-License-Identifier: Apache-2.0
// Containers over a pool that is an object: every node comes from it and goes back to it, through copies, moves and
// swaps; what does not fit goes upstream, or is refused.
#include "counting_upstream.hpp"
#include "unit.hpp"

#include <linn/fixed_pool.hpp>
#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>
#include <linn/node_types.hpp>

#include <forward_list>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace local_allocator_tests {

using linn_test::upstream_counters;
template <class T>
using counting = linn_test::counting_upstream<T>;

struct wide {
    alignas(64) char bytes[64];
    friend bool operator<(const wide& a, const wide& b) { return a.bytes[0] < b.bytes[0]; }
};

/// The container with a local_allocator over `Pool` in the place of its own.
template <class Container, class Pool, class Upstream>
using over = typename linn::rebind_container<
    Container, linn::local_allocator<typename Container::value_type, Pool, Upstream>>::type;

/// A thousand nodes, all of them from the pool; a slot is as large as a node, or a little larger.
template <class Container, class Insert>
void all_nodes_from_the_pool(Insert insert) {
    using slot = linn::node_slot<Container>;
    using pool_type = linn::local_pool<slot>;
    using value = typename Container::value_type;
    const auto types = linn::node_types<Container>();
    const auto node = std::find_if(types.begin(), types.end(), [](const auto& t) { return t.single; });
    REQUIRE(node != types.end());
    CHECK(sizeof(slot) >= node->size);
    CHECK(sizeof(slot) <= node->size + sizeof(void*));
    CHECK(alignof(slot) >= node->align);

    pool_type pool;
    upstream_counters seen;
    {
        over<Container, pool_type, counting<value>> c{{pool, counting<value>{1, seen}}};
        for (int i = 0; i != 1000; ++i) {
            insert(c, i);
        }
        CHECK(pool.live() == 1000);
        CHECK(seen.singles == 0);
        auto copy = c;
        CHECK(pool.live() == 2000);
        auto moved = std::move(copy);
        CHECK(pool.live() == 2000);
        c.clear();
        CHECK(pool.live() == 1000);
        swap(c, moved);
    }
    CHECK(pool.live() == 0);
    CHECK(seen.objects == 0);
}

TEST_CASE("local_allocator: all nodes of every container come from the pool") {
    const auto back = [](auto& c, int i) { c.push_back({i}); };
    const auto front = [](auto& c, int i) { c.push_front({i}); };
    const auto element = [](auto& c, int i) { c.insert(i); };
    const auto pair = [](auto& c, int i) { c.insert({i, {}}); };
    all_nodes_from_the_pool<std::list<int>>(back);
    all_nodes_from_the_pool<std::forward_list<int>>(front);
    all_nodes_from_the_pool<std::map<int, std::string>>(pair);
    all_nodes_from_the_pool<std::unordered_set<int>>(element);
    all_nodes_from_the_pool<std::unordered_map<std::string, int>>(
        [](auto& c, int i) { c.insert({std::to_string(i), i}); });
    all_nodes_from_the_pool<std::multiset<wide>>(
        [](auto& c, int i) { c.insert(wide{{static_cast<char>(i)}}); });
}

TEST_CASE("local_allocator: arrays and what does not fit go upstream") {
    using pool_type = linn::local_pool<linn::node_storage<16, 8>>;
    pool_type pool;
    upstream_counters seen;
    linn::local_allocator<long, pool_type, counting<long>> a{pool, counting<long>{1, seen}};
    static_assert(a.fits<long>() && !a.fits<wide>() && a.fits<char[16]>() && !a.fits<char[17]>());
    struct alignas(16) even {
        char bytes[16];
    };
    static_assert(!a.fits<even>());
    long* one = a.allocate(1);
    CHECK(pool.live() == 1);
    long* two = a.allocate(2);
    CHECK(pool.live() == 1);
    CHECK(seen.allocations == 1);
    linn::local_allocator<wide, pool_type, counting<long>> b{a};
    wide* w = b.allocate(1);
    CHECK(seen.singles == 1);
    CHECK(pool.live() == 1);
    CHECK(reinterpret_cast<std::uintptr_t>(w) % 64 == 0);
    b.deallocate(w, 1);
    a.deallocate(two, 2);
    a.deallocate(one, 1);
    CHECK(pool.live() == 0);
    CHECK(seen.objects == 0);
}

TEST_CASE("local_allocator: equal with the same pool and equal upstreams, and propagates as a pool should") {
    using pool_type = linn::local_pool<linn::node_storage<64>>;
    using allocator = linn::local_allocator<int, pool_type>;
    using traits = std::allocator_traits<allocator>;
    static_assert(sizeof(allocator) == sizeof(void*));
    static_assert(!traits::is_always_equal::value && !traits::propagate_on_container_copy_assignment::value);
    static_assert(traits::propagate_on_container_move_assignment::value &&
                  traits::propagate_on_container_swap::value);
    static_assert(std::is_same_v<traits::rebind_alloc<long>::value_type, long>);
    static_assert(std::is_same_v<traits::rebind_alloc<long>::pool_type, pool_type>);
    static_assert(!std::is_default_constructible_v<allocator>);
    pool_type first;
    pool_type second;
    CHECK(allocator{first} == allocator{first});
    CHECK(allocator{first} != allocator{second});
    CHECK(allocator{first} == traits::rebind_alloc<long>{first});
    CHECK(traits::rebind_alloc<long>{allocator{second}}.pool().live() == 0);
    upstream_counters counters;
    using counted = linn::local_allocator<int, pool_type, counting<int>>;
    CHECK(counted{first, counting<int>{1, counters}} == counted{first, counting<int>{1, counters}});
    CHECK(counted{first, counting<int>{1, counters}} != counted{first, counting<int>{2, counters}});
}

TEST_CASE("local_allocator: a container of a fixed_pool without upstream takes memory from nowhere else") {
    using values = std::map<int, int>;
    using pool_type = linn::fixed_pool<linn::node_slot<values>, 3>;
    using allocator = linn::local_allocator<values::value_type, pool_type, void>;
    pool_type pool;
    std::map<int, int, std::less<>, allocator> map{pool};
    map[1] = 1;
    map[2] = 4;
    map[3] = 9;
    CHECK(pool.full());
    CHECK_THROWS_AS(map[4] = 16, std::bad_alloc);
    CHECK(map.size() == 3); // as before
    map.erase(2);
    map[4] = 16;
    CHECK(map[4] == 16);
    std::vector<int, linn::local_allocator<int, pool_type, void>> array{pool};
    CHECK_THROWS_AS(array.resize(2), std::bad_alloc);
}

} // namespace local_allocator_tests
