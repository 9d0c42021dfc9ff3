// SPDX-License-Identifier: Apache-2.0
// Promise: containers of std work over linn::allocator as over std's, and return every node. What moves nodes between
// containers, threads and allocators: allocator_awareness.

#include "allocator_worlds.hpp"
#include "unit.hpp"

#include <linn/containers.hpp>

#include <unordered_map>

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

/// Random insertions and removals, compared with the standard container with the standard allocator.
template <class Ours, class Std, class Key>
void compare_sets(Key key) {
    const std::size_t before = live_in_pools();
    {
        Ours ours;
        Std theirs;
        linn_test::random_source random{4};
        for (int i = 0; i < 4000; ++i) {
            const int k = static_cast<int>(random.below(500));
            if (random.below(3) != 0) {
                ours.insert(key(k));
                theirs.insert(key(k));
            } else {
                REQUIRE(ours.erase(k) == theirs.erase(k));
            }
        }
        CHECK(ours.size() == theirs.size());
        bool same = true;
        for (int k = 0; k < 500; ++k) {
            same = same && ours.count(k) == theirs.count(k);
        }
        CHECK(same);
        CHECK(live_in_pools() == before + ours.size());
        Ours copied{ours};
        CHECK(copied == ours);
        CHECK(live_in_pools() == before + 2 * ours.size());
        Ours moved{std::move(copied)};
        CHECK(moved == ours);
        CHECK(live_in_pools() == before + 2 * ours.size());
        Ours other;
        other.swap(moved);
        CHECK(moved.empty());
        other.merge(ours);
        moved = std::move(other);
        const Ours& itself = moved;
        moved = itself;
        CHECK(moved.size() >= theirs.size());
    }
    CHECK(live_in_pools() == before);
}

TEST_CASE("containers: associative ones") {
    const auto same = [](int k) { return k; };
    const auto pair = [](int k) { return std::pair<const int, std::string>{k, std::to_string(k)}; };
    using text = std::string;
    compare_sets<linn::set<int>, std::set<int>>(same);
    compare_sets<linn::multiset<int>, std::multiset<int>>(same);
    compare_sets<linn::map<int, text>, std::map<int, text>>(pair);
    compare_sets<linn::multimap<int, text>, std::multimap<int, text>>(pair);
    compare_sets<linn::unordered_set<int>, std::set<int>>(same);
    compare_sets<linn::unordered_multiset<int>, std::multiset<int>>(same);
    compare_sets<linn::unordered_map<int, text>, std::map<int, text>>(pair);
    compare_sets<linn::unordered_multimap<int, text>, std::multimap<int, text>>(pair);
}

} // namespace containers_tests
