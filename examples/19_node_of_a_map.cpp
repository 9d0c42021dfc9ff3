// SPDX-License-Identifier: Apache-2.0
// The node type of a container has no standard name, but it has a size, and a pool can be made for it:
// here for a program that must not allocate after its start.
#include <linn/fixed_pool.hpp>
#include <linn/node_types.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <new>
#include <utility>

// [allocator]
// All nodes of the program's maps from int to double: what pair is in is the library's secret.
template <class Node>
constinit linn::fixed_pool<Node, 100> nodes;

template <class T>
struct from_fixed_pool {
    using value_type = T;
    from_fixed_pool() = default;
    template <class U>
    from_fixed_pool(const from_fixed_pool<U>&) {}
    T* allocate(std::size_t n) { return n == 1 ? nodes<T>.allocate() : throw std::bad_alloc{}; }
    void deallocate(T* p, std::size_t) { nodes<T>.deallocate(p); }
    bool operator==(const from_fixed_pool&) const { return true; }
};
using prices = std::map<int, double, std::less<>, from_fixed_pool<std::pair<const int, double>>>;
// [/allocator]

int main() {
    // [ask]
    const auto types = linn::node_types<prices>();
    const bool fits = types.size() == 1 && types[0].single; // no arrays: a pool of nodes is enough
    // [/ask]
    std::printf("only nodes: %s\n", fits ? "yes" : "no");
    std::printf("a node is more than its pair: %s\n",
                types[0].size > sizeof(prices::value_type) ? "yes" : "no");

    prices all;
    try {
        for (int i = 0; i < 1000; ++i) {
            all[i] = i;
        }
    } catch (const std::bad_alloc&) {
        std::printf("full with %zu, highest %d\n", all.size(), all.rbegin()->first);
    }
}
