// SPDX-License-Identifier: Apache-2.0
// Two exercises that come with every textbook pool, solved: free the memory only when no object is
// alive, and find out what a container's node type really is.
#include <linn/local_pool.hpp>
#include <linn/misuse.hpp>
#include <linn/node_types.hpp>

#include <cstdio>
#include <map>
#include <unordered_set>

struct order {
    long id;
};

// [count]
void count_objects() {
    linn::local_pool<order> orders;
    order* a = orders.create(1);
    order* b = orders.create(2);
    std::printf("alive: %zu, freed: %zu bytes\n", orders.live(), orders.trim()); // none: two are alive
    orders.destroy(a);
    orders.destroy(b);
    const bool freed = orders.trim() != 0;
    std::printf("alive: %zu, freed: %s\n", orders.live(), freed ? "all" : "nothing");
} // the destructor asks the same question, and reports what is still alive instead of pulling it away
// [/count]

// [nodes]
template <class Container>
void print_nodes(const char* container) {
    for (const linn::node_type& node : linn::node_types<Container>()) {
        std::printf("%s: %s of %zu bytes\n", container, node.single ? "nodes" : "an array of elements",
                    node.size);
    }
}
// [/nodes]

int main() {
    count_objects();
    print_nodes<std::map<int, int>>("map<int, int>");
    print_nodes<std::unordered_set<int>>("unordered_set<int>");
}
