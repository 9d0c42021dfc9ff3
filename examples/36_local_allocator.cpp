// SPDX-License-Identifier: Apache-2.0
// Containers and owning pointers over pools that are objects.
#include <linn/fixed_pool.hpp>
#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>
#include <linn/memory.hpp>

#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <new>
#include <vector>

// [list]
using nodes = linn::local_pool<linn::node_slot<std::list<int>>>;
using numbers = std::list<int, linn::local_allocator<int, nodes>>;

void list_over_local_pool() {
    nodes memory; // one owner, no atomics; a slot fits a node of std::list<int>
    numbers odd{{1, 3, 5}, memory};
    numbers copy = odd; // from the same pool
    copy.push_back(7);
    std::printf("%zu nodes in the pool\n", memory.live());
}
// [/list]

// [map]
using prices = std::map<int, double>;                            // only to say how large a node is
using book_nodes = linn::fixed_pool<linn::node_slot<prices>, 2>; // never allocates
using price_allocator = linn::local_allocator<prices::value_type, book_nodes, void>; // void: no other memory
using book = std::map<int, double, std::less<>, price_allocator>;

constinit book_nodes slots;

void map_over_fixed_pool() {
    book orders{slots};
    orders[1] = 9.5;
    orders[2] = 9.75;
    try {
        orders[3] = 9.25;
    } catch (const std::bad_alloc&) {
        std::printf("full with %zu of %zu\n", orders.size(), slots.capacity());
    }
    orders.erase(1);
    orders[3] = 9.25;
    std::printf("3 costs %.2f\n", orders[3]);
}
// [/map]

// [owners]
struct shape {
    virtual double area() const = 0;

protected:
    ~shape() = default; // not virtual: base_ptr knows the class
};
struct square final : shape {
    explicit square(double s) : side{s} {}
    double area() const override { return side * side; }
    double side;
};
struct disc final : shape {
    explicit disc(double r) : radius{r} {}
    ~disc() { std::printf("a disc goes back to its pool\n"); }
    double area() const override { return 3 * radius * radius; }
    double radius;
};

void owners() {
    linn::local_pool<disc> discs;
    linn::unique_ptr_in<linn::local_pool<disc>> one = linn::make_unique_in(discs, 1.0);
    std::vector<linn::base_ptr<shape>> all; // each from a pool of its own
    all.push_back(std::move(one));
    all.push_back(linn::make_unique<square>(2.0)); // from linn::pool<square>
    double sum = 0;
    for (const auto& s : all) {
        sum += s->area();
    }
    std::printf("area %.0f, discs in their pool: %zu\n", sum, discs.live());
}
// [/owners]

int main() {
    list_over_local_pool();
    map_over_fixed_pool();
    owners();
}
