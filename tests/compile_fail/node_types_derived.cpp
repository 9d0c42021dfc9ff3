// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::node_types: the allocator is not an argument of the container's template
#include <linn/node_types.hpp>

#include <list>

#ifdef LINN_CONTROL
using asked = std::list<int>;
#else
struct asked : std::list<int> {};
#endif

void ask() {
    static_cast<void>(linn::node_types<asked>());
}
