// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::node_types: the container cannot be made from an allocator alone
#include <linn/node_types.hpp>

#include <set>

struct order {
#ifndef LINN_CONTROL
    explicit order(bool) {}
#endif
    bool operator()(int a, int b) const { return a < b; }
};

void ask() {
    static_cast<void>(linn::node_types<std::set<int, order>>());
}
