// SPDX-License-Identifier: Apache-2.0
// Node containers take their nodes from pools; arrays go to the upstream allocator.
#include <linn/containers.hpp>
#include <linn/statistics.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

// [static]
// A container that lives until the end of the program is fine: pools are never destroyed.
linn::map<std::string, int> settings{{"retries", 3}};
// [/static]

std::size_t live_nodes() {
    std::size_t sum = 0;
    for (const linn::pool_statistics& s : linn::statistics()) {
        sum += s.live;
    }
    return sum;
}

int main() {
    const std::size_t before = live_nodes(); // the one node of settings

    // [map]
    linn::unordered_map<int, std::string> names; // a std::unordered_map with linn::allocator
    for (int i = 0; i < 100; ++i) {
        names.emplace(i, "name");
    }
    names.erase(7);
    // [/map]
    std::printf("nodes in pools: %zu\n", live_nodes() - before);

    // [splice]
    linn::list<int> a{1, 2, 3};
    linn::list<int> b{4, 5};
    a.splice(a.end(), b); // all linn::allocators are equal, so nodes may change their container
    // [/splice]
    std::printf("a: %zu, b: %zu, nodes in pools: %zu\n", a.size(), b.size(), live_nodes() - before);

    // [vector]
    std::vector<int, linn::allocator<int>> v(1000); // one array: from std::allocator, not from a pool
    // [/vector]
    std::printf("v: %zu, nodes in pools: %zu\n", v.size(), live_nodes() - before);

    names.clear();
    a.clear();
    std::printf("nodes in pools: %zu\n", live_nodes() - before);
}
