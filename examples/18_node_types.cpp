// SPDX-License-Identifier: Apache-2.0
// What does a container really allocate, and would a pool take it? Nobody needs to guess sizes of nodes.
#include <linn/node_types.hpp>

#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct order {
    explicit order(int id); // never called, not even defined
    char text[100];
};

// [print]
template <class Container>
void print(const char* title) {
    std::printf("%s\n", title);
    for (const linn::node_type& t : linn::node_types<Container>()) {
        std::printf("  %4zu bytes, aligned to %2zu, %s: %.*s\n", t.size, t.align,
                    t.single ? "one at a time" : "in arrays    ", static_cast<int>(t.name.size()),
                    t.name.data());
    }
}
// [/print]

int main() {
    print<std::map<int, order>>("map<int, order>");
    print<std::unordered_map<std::string, order>>("unordered_map<string, order>");
    print<std::deque<order>>("deque<order>");
    print<std::vector<order>>("vector<order>");
}
