// SPDX-License-Identifier: Apache-2.0
// Every std::pmr container works over a pool_resource, with equal and with unequal resources on both
// sides of copies, moves and swaps, and gives all its memory back.
#include "counting_resource.hpp"

#include <linn/memory_resource.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memory_resource_containers_tests {

using linn::pool_resource;

std::size_t live_in(const pool_resource& r) {
    std::size_t n = 0;
    for (const auto& s : r.statistics()) {
        n += s.live;
    }
    return n;
}

template <class T>
T value_of(int i) {
    if constexpr (std::is_same_v<T, std::pmr::string>) {
        return T(static_cast<std::size_t>(i % 60), static_cast<char>('a' + i % 26));
    } else if constexpr (requires { typename T::second_type; }) {
        return T{i, i};
    } else {
        return static_cast<T>(i);
    }
}

template <class C>
void add(C& c, int i) {
    if constexpr (requires { c.insert(value_of<typename C::value_type>(i)); }) {
        c.insert(value_of<typename C::value_type>(i));
    } else if constexpr (requires { c.push_back(value_of<typename C::value_type>(i)); }) {
        c.push_back(value_of<typename C::value_type>(i));
    } else {
        c.push_front(value_of<typename C::value_type>(i));
    }
}

template <class C>
C filled(pool_resource& r, int n) {
    C c{&r};
    for (int i = 0; i < n; ++i) {
        add(c, i);
    }
    return c;
}

TEST_CASE_TEMPLATE("pool_resource: container", C, std::pmr::vector<int>, std::pmr::vector<std::pmr::string>,
                   std::pmr::deque<int>, std::pmr::list<int>, std::pmr::list<std::pmr::string>,
                   std::pmr::forward_list<long>, std::pmr::set<int>, std::pmr::multiset<std::pmr::string>,
                   std::pmr::map<int, int>, std::pmr::multimap<int, int>, std::pmr::unordered_set<int>,
                   std::pmr::unordered_multiset<std::pmr::string>, std::pmr::unordered_map<int, int>,
                   std::pmr::unordered_multimap<int, int>, std::pmr::string) {
    linn_test::counting_resource upstream;
    {
        pool_resource a{&upstream};
        pool_resource b;
        {
            C one = filled<C>(a, 2000);
            CHECK(one.get_allocator().resource() == &a);
            CHECK(live_in(a) != 0);

            C same_copy{one, &a};
            C other_copy{one, &b};
            CHECK(same_copy == one);
            CHECK(other_copy == one);
            CHECK(other_copy.get_allocator().resource() == &b);

            C stolen{std::move(same_copy)}; // takes the resource along
            CHECK(stolen == one);
            CHECK(stolen.get_allocator().resource() == &a);
            C moved_over{std::move(stolen), &b}; // must copy
            CHECK(moved_over == one);
            CHECK(moved_over.get_allocator().resource() == &b);

            C assigned = filled<C>(b, 10);
            assigned = one;
            CHECK(assigned == one);
            assigned = std::move(moved_over); // equal resources
            CHECK(assigned == one);
            C unequal = filled<C>(a, 10);
            unequal = std::move(assigned);
            CHECK(unequal == one);
            CHECK(unequal.get_allocator().resource() == &a);

            C small = filled<C>(a, 3);
            small.swap(unequal); // only between equals
            CHECK(small == one);
            CHECK(unequal != one);

            // Freed by a thread that allocated none of it.
            std::thread{[gone = std::move(small)]() mutable { gone.clear(); }}.join();
            one.clear();
            for (int i = 0; i < 500; ++i) {
                add(one, i);
            }
        }
        CHECK(live_in(a) == 0);
        CHECK(live_in(b) == 0);
    }
    CHECK(upstream.blocks.empty());
    CHECK(upstream.wrong == 0);
}

TEST_CASE("pool_resource: nested containers and polymorphic_allocator") {
    pool_resource r;
    {
        std::pmr::map<std::pmr::string, std::pmr::vector<std::pmr::string>> nested{&r};
        for (int i = 0; i < 300; ++i) {
            nested[value_of<std::pmr::string>(i)].emplace_back(100, 'x');
        }
        CHECK(nested.begin()->second.get_allocator().resource() == &r);
        CHECK(nested.begin()->second.front().get_allocator().resource() == &r);

        std::pmr::polymorphic_allocator<> allocator{&r};
        auto* text = allocator.new_object<std::pmr::string>("a string that is too long to be in the object");
        CHECK(text->get_allocator().resource() == &r);
        allocator.delete_object(text);
        struct alignas(256) wide {
            char bytes[256];
        };
        auto* w = allocator.allocate_object<wide>(3);
        CHECK(reinterpret_cast<std::uintptr_t>(w) % 256 == 0);
        allocator.deallocate_object(w, 3);
        allocator.deallocate_bytes(allocator.allocate_bytes(77, 32), 77, 32);
    }
    CHECK(live_in(r) == 0);
}

TEST_CASE("pool_resource: under other resources, and over them") {
    pool_resource base;
    {
        pool_resource middle{&base};
        std::pmr::unsynchronized_pool_resource of_std{&middle};
        std::pmr::monotonic_buffer_resource arena{&of_std};
        std::pmr::list<int> a{&arena};
        std::pmr::map<int, int> b{&middle};
        for (int i = 0; i < 3000; ++i) {
            a.push_back(i);
            b.emplace(i, i);
        }
        CHECK(a.size() == b.size());
    }
    CHECK(live_in(base) == 0);
}

TEST_CASE("pool_resource: release frees what containers that are never destroyed hold") {
    pool_resource r;
    for (int round = 0; round < 3; ++round) {
        alignas(std::pmr::map<int, int>) std::byte place[sizeof(std::pmr::map<int, int>)];
        auto* winked_out = ::new (static_cast<void*>(place)) std::pmr::map<int, int>{&r};
        for (int i = 0; i < 1000; ++i) {
            winked_out->emplace(i, i);
        }
        r.release();
        CHECK(live_in(r) == 0);
    }
}

} // namespace memory_resource_containers_tests
