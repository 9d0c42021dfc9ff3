// SPDX-License-Identifier: Apache-2.0
// Promise: containers of std work over linn::allocator as over std's, and return every node. What moves nodes between
// containers, threads and allocators: allocator_awareness.

// Boost 1.74 derives from std::unary_function, which libc++ has no more in C++20.
#define _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION // NOLINT(bugprone-reserved-identifier)

#include "allocator_worlds.hpp"
#include "unit.hpp"

#include <linn/containers.hpp>

#include <unordered_map>

#if __has_include(<boost/container/slist.hpp>)
#define LINN_TEST_BOOST_CONTAINERS 1
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/slist.hpp>
#include <boost/unordered_set.hpp>
#endif

namespace containers_tests {

static_assert(std::is_same_v<linn::list<int>, std::list<int, linn::allocator<int>>>);
static_assert(
    std::is_same_v<linn::map<int, char>::allocator_type, linn::allocator<std::pair<const int, char>>>);
static_assert(std::is_same_v<linn::set<int, std::greater<int>>::key_compare, std::greater<int>>);
static_assert(std::is_nothrow_move_assignable_v<linn::list<int>>);
static_assert(std::is_nothrow_move_constructible_v<linn::map<int, int>>);
static_assert(sizeof(linn::list<int>) == sizeof(std::list<int>));
static_assert(sizeof(linn::map<int, int>) == sizeof(std::map<int, int>));
static_assert(sizeof(linn::unordered_map<int, int>) == sizeof(std::unordered_map<int, int>));

using linn_test::live_in_pools;

constexpr auto front = [](auto& c, int i) { c.push_front(i); };
constexpr auto element = [](auto& c, int i) { c.emplace(i); };
constexpr auto pair = [](auto& c, int i) { c.emplace(i, i); };

template <class Container, class Insert>
void use_nodes(Insert insert) {
    const std::size_t before = live_in_pools();
    {
        Container a;
        for (int i = 0; i < 1000; ++i) {
            insert(a, i);
        }
        CHECK(live_in_pools() >= before + 1000);
        Container b{a};
        Container c{std::move(b)};
        CHECK(c == a);
        c.swap(a);
        c.erase(c.begin());
        a = c;
        a = std::move(c);
        CHECK(a.size() == 999);
    }
    CHECK(live_in_pools() == before);
}

TEST_CASE("containers: those of std") {
    use_nodes<linn::list<int>>(front);
    use_nodes<linn::set<int>>(element);
    use_nodes<linn::multiset<int>>(element);
    use_nodes<linn::map<int, int>>(pair);
    use_nodes<linn::multimap<int, int>>(pair);
    use_nodes<linn::unordered_set<int>>(element);
    use_nodes<linn::unordered_multiset<int>>(element);
    use_nodes<linn::unordered_map<int, int>>(pair);
    use_nodes<linn::unordered_multimap<int, int>>(pair);
}

#if defined(LINN_TEST_BOOST_CONTAINERS)
TEST_CASE("containers: those of Boost") {
    using ints = linn::allocator<int>;
    using pairs = linn::allocator<std::pair<const int, int>>;
    use_nodes<boost::container::list<int, ints>>(front);
    use_nodes<boost::container::slist<int, ints>>(front);
    use_nodes<boost::container::set<int, std::less<int>, ints>>(element);
    use_nodes<boost::container::map<int, int, std::less<int>, pairs>>(pair);
    use_nodes<boost::unordered_set<int, boost::hash<int>, std::equal_to<int>, ints>>(element);
}
#endif

} // namespace containers_tests
