// SPDX-License-Identifier: Apache-2.0
// Promise: linn::allocator takes one object from the pool of its type and everything else from its upstream, and compares and
// copies as that upstream does. What containers make of it: allocator_awareness.cpp.
#include "counting_upstream.hpp"
#include "unit.hpp"

#include <linn/allocator.hpp>

namespace allocator_tests {

using linn::allocator;
using linn_test::counting_upstream;
using linn_test::upstream_counters;

struct node {
    long a = 1;
    long b = 2;
};

using plain = allocator<node>;
using traits = std::allocator_traits<plain>;

static_assert(std::is_empty_v<plain>);
static_assert(sizeof(plain) == 1);
static_assert(std::is_nothrow_default_constructible_v<plain>);
static_assert(noexcept(std::declval<plain&>().deallocate(nullptr, 1)));
static_assert(traits::is_always_equal::value);
static_assert(plain{} == allocator<int>{});

// rebind keeps every parameter.
constexpr linn::pool_options special{.slab_bytes = 1 << 16, .magazine_slots = 5};
using upstream = counting_upstream<node, true, false, true, false>;
using full = allocator<node, upstream, special>;
static_assert(std::is_same_v<std::allocator_traits<full>::rebind_alloc<int>,
                             allocator<int, counting_upstream<int, true, false, true, false>, special>>);

static_assert(!std::is_default_constructible_v<full>, "an upstream that needs arguments must get them");
static_assert(!std::is_convertible_v<upstream, full>, "only when asked for");

template <class T>
std::size_t live() {
    return linn::pool<T>::statistics().live;
}

TEST_CASE("allocator: one object from the pool, everything else from upstream") {
    upstream_counters counters;
    using type = allocator<node, counting_upstream<node>>;
    type a{counting_upstream<node>{1, counters}};
    const std::size_t before = live<node>();
    node* one = a.allocate(1);
    CHECK(counters.allocations == 0);
    CHECK(live<node>() == before + 1);
    node* many = a.allocate(7);
    CHECK(counters.allocations == 1);
    CHECK(counters.objects == 7);
    node* none = a.allocate(0);
    CHECK(counters.allocations == 2);
    CHECK(live<node>() == before + 1);
    a.deallocate(none, 0);
    a.deallocate(many, 7);
    a.deallocate(one, 1);
    CHECK(counters.deallocations == 2);
    CHECK(counters.objects == 0);
    CHECK(live<node>() == before);
}

TEST_CASE("allocator: an array that is too large is refused") {
    plain a;
    CHECK_THROWS_AS(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / 2)),
                    std::bad_array_new_length);
    CHECK_THROWS_AS(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / sizeof(node) + 1)),
                    std::bad_array_new_length);
}

TEST_CASE("allocator: equality is that of the upstream") {
    upstream_counters counters;
    using type = allocator<node, counting_upstream<node>>;
    const type a{counting_upstream<node>{1, counters}};
    const type same{counting_upstream<node>{1, counters}};
    const type other{counting_upstream<node>{2, counters}};
    CHECK(a == same);
    CHECK(a != other);
    const allocator<int, counting_upstream<int>> rebound{a};
    CHECK(rebound == a);
    CHECK(a == rebound);
    CHECK(rebound != other);
    CHECK(rebound.upstream().id == 1);
    const std::vector<int, allocator<int, std::allocator<char>>> of_another_type{1, 2, 3};
    CHECK(of_another_type.size() == 3);
    using selected = allocator<node, counting_upstream<node, false, false, false, true>>;
    const selected original{counting_upstream<node, false, false, false, true>{1, counters}};
    CHECK(std::allocator_traits<selected>::select_on_container_copy_construction(original).upstream().id ==
          1001);
}

} // namespace allocator_tests
