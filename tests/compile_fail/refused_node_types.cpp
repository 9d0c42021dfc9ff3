// SPDX-License-Identifier: Apache-2.0
// What node_types() cannot ask is refused in a sentence.
// LINES: 30
#include <linn/node_types.hpp>

#include <array>
#include <list>
#include <set>

struct order {
    explicit order(bool) {}
    bool operator()(int a, int b) const { return a < b; }
};
struct numbers : std::list<int> {};

#if defined(LINN_CASE_no_default) // linn::node_types: the container cannot be made from an allocator alone
using asked = std::set<int, order>;
#elif defined(LINN_CASE_no_container) // linn::node_types: this is no container with an allocator
using asked = std::array<int, 3>;
#elif defined(LINN_CASE_derived)      // linn::node_types: the allocator is not an argument of the container's
using asked = numbers;
#else
using asked = std::list<int>;
#endif

void ask() {
    static_cast<void>(linn::node_types<asked>());
}
