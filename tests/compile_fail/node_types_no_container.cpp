// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::node_types: this is no container with an allocator
#include <linn/node_types.hpp>

#include <array>
#include <list>

#ifdef LINN_CONTROL
using asked = std::list<int>;
#else
using asked = std::array<int, 3>;
#endif

void ask() {
    static_cast<void>(linn::node_types<asked>());
}
