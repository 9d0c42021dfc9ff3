// SPDX-License-Identifier: Apache-2.0
// Promise: containers of std work over linn::allocator: every operation that moves nodes between containers, threads and
// allocators leaves each node with the pool that it came from.
#include "random.hpp"

#include <linn/containers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// A value of its own for each test, so that its node type has a pool of its own.
template <int Tag>
struct value {
    int v = 0;
    friend auto operator<=>(const value&, const value&) = default;
};

/// Objects alive in all pools.
std::size_t live_now() {
    std::size_t sum = 0;
    for (auto* d = linn::detail::registry<linn::detail::platform>::process().newest(); d != nullptr;
         d = d->older) {
        sum += d->is_primary() ? d->statistics().live : 0;
    }
    return sum;
}

/// Random insertions and removals, compared with the standard container with the standard allocator.
template <class Ours, class Std, class Key>
void compare_sets(Key key) {
    const std::size_t before = live_now();
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
        CHECK(live_now() == before + ours.size());
        Ours copied{ours};
        CHECK(copied == ours);
        CHECK(live_now() == before + 2 * ours.size());
        Ours moved{std::move(copied)};
        CHECK(moved == ours);
        CHECK(live_now() == before + 2 * ours.size());
        Ours other;
        other.swap(moved);
        CHECK(moved.empty());
        other.merge(ours);
        moved = std::move(other);
        const Ours& itself = moved;
        moved = itself;
        CHECK(moved.size() >= theirs.size());
    }
    CHECK(live_now() == before);
}

template <class List>
void use_list() {
    const std::size_t before = live_now();
    {
        List a;
        List b;
        for (int i = 0; i < 1000; ++i) {
            a.push_front(i * 7 % 1000);
            b.push_front(i);
        }
        CHECK(live_now() == before + 2000);
        a.sort();
        b.sort();
        CHECK(a == b);
        a.merge(b);
        CHECK(b.empty());
        CHECK(std::distance(a.begin(), a.end()) == 2000);
        CHECK(std::is_sorted(a.begin(), a.end()));
        a.unique();
        CHECK(live_now() == before + 1000);
        if constexpr (requires { a.splice_after(a.before_begin(), b); }) {
            b.splice_after(b.before_begin(), a, a.before_begin(), std::next(a.begin(), 10));
        } else {
            b.splice(b.end(), a, a.begin(), std::next(a.begin(), 10));
        }
        CHECK(live_now() == before + 1000);
        a.swap(b);
        a.remove_if([](int i) { return i % 2 == 0; });
        a.reverse();
        a = b;
        CHECK(a == b);
        a.clear();
    }
    CHECK(live_now() == before);
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

TEST_CASE("containers: lists, sorted, merged, spliced and swapped") {
    use_list<linn::list<int>>();
    use_list<linn::forward_list<int>>();
}

TEST_CASE("containers: those that allocate arrays, and adaptors") {
    const std::size_t before = live_now();
    {
        std::vector<int, linn::allocator<int>> v;
        std::deque<int, linn::allocator<int>> d;
        std::basic_string<char, std::char_traits<char>, linn::allocator<char>> s;
        std::vector<bool, linn::allocator<bool>> bits;
        for (int i = 0; i < 3000; ++i) {
            v.push_back(i);
            d.push_front(i);
            s.push_back(static_cast<char>('a' + i % 26));
            bits.push_back(i % 3 == 0);
        }
        v.shrink_to_fit();
        CHECK(std::equal(v.begin(), v.end(), d.rbegin()));
        CHECK(s.size() == 3000);
        CHECK(std::count(bits.begin(), bits.end(), true) == 1000);
        v.resize(1);
        v.shrink_to_fit(); // an array of one is one object
        const auto copied = v;
        CHECK(copied == v);
        auto moved = std::move(v);
        CHECK(moved[0] == 0);

        std::stack<int, std::list<int, linn::allocator<int>>> stack;
        std::queue<int, std::deque<int, linn::allocator<int>>> queue;
        std::priority_queue<int, std::vector<int, linn::allocator<int>>> heap;
        for (int i = 0; i < 500; ++i) {
            stack.push(i);
            queue.push(i);
            heap.push(i * 13 % 500);
        }
        CHECK(stack.top() == 499);
        CHECK(queue.front() == 0);
        CHECK(heap.top() == 499);
        while (!heap.empty()) {
            heap.pop();
        }
    }
    CHECK(live_now() == before);
}

TEST_CASE("containers: nodes extracted on one thread and inserted on another") {
    using map = linn::map<value<1>, std::unique_ptr<int>>;
    const std::size_t before = live_now();
    {
        map source;
        map target;
        std::vector<map::node_type> handed;
        std::thread a{[&] {
            for (int i = 0; i < 1000; ++i) {
                source.emplace(value<1>{i}, std::make_unique<int>(i));
            }
            for (int i = 0; i < 1000; i += 2) {
                handed.push_back(source.extract(value<1>{i}));
            }
        }};
        a.join();
        std::thread b{[&] {
            for (auto& node : handed) {
                node.key().v += 1;
                target.insert(std::move(node));
            }
        }};
        b.join();
        CHECK(source.size() == 500);
        CHECK(target.size() == 500);
        CHECK(*target.at(value<1>{11}) == 10);
        CHECK(live_now() == before + 1000);
        handed.clear();
        source.merge(target);
        CHECK(live_now() == before + 1000);
    }
    CHECK(live_now() == before);
}

TEST_CASE("containers: built on one thread, moved, and destroyed on another") {
    const std::size_t before = live_now();
    for (int round = 0; round < 5; ++round) {
        linn::list<value<2>> list;
        linn::unordered_map<int, value<2>> map;
        std::thread a{[&] {
            for (int i = 0; i < 2000; ++i) {
                list.push_back({i});
                map.emplace(i, value<2>{i});
            }
        }};
        a.join();
        std::thread{[l = std::move(list), m = std::move(map)]() mutable {
            CHECK_UNARY(l.size() == 2000);
            l.clear();
            m.clear();
        }}.join();
        CHECK(live_now() == before);
    }
}

/// The allocator is named while its type is incomplete.
struct tree {
    int value = 0;
    std::vector<tree, linn::allocator<tree>> children;
    linn::list<tree> siblings;
    std::unique_ptr<linn::map<int, tree>> named;
};

int sum(const tree& t) {
    int total = t.value;
    for (const tree& child : t.children) {
        total += sum(child);
    }
    for (const tree& sibling : t.siblings) {
        total += sum(sibling);
    }
    return total;
}

TEST_CASE("containers: a struct that holds containers of itself") {
    const std::size_t before = live_now();
    {
        tree root{1, {}, {}, nullptr};
        root.children.push_back({2, {}, {}, nullptr});
        root.children.push_back({3, {}, {}, nullptr});
        root.siblings.push_back({4, {}, {}, nullptr});
        root.siblings.back().children.push_back({5, {}, {}, nullptr});
        root.named = std::make_unique<linn::map<int, tree>>();
        (*root.named)[6].value = 6;
        CHECK(sum(root) == 15);
    }
    CHECK(live_now() == before);
}

TEST_CASE("containers: over-aligned values") {
    struct alignas(64) line {
        int v = 0;
    };
    linn::list<line> list(100);
    linn::map<int, line> map;
    for (int i = 0; i < 100; ++i) {
        map[i].v = i;
    }
    bool aligned = true;
    for (const line& l : list) {
        aligned = aligned && reinterpret_cast<std::uintptr_t>(&l) % 64 == 0;
    }
    for (const auto& [key, l] : map) {
        aligned = aligned && reinterpret_cast<std::uintptr_t>(&l) % 64 == 0 && l.v == key;
    }
    CHECK(aligned);
}

} // namespace containers_tests
