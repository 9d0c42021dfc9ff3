// SPDX-License-Identifier: Apache-2.0
// What a user writes first, compiled with the warnings that a strict user has on.
#include <linn/linn.hpp>

#include <cstdio>
#include <list>

#ifdef CONSUMER_PARTS
#include "compiled/parts.hpp"

#include <vector>

// Each part destroys what the other one created. A million objects take every slow path of one thread.
static bool exchange_parts() {
    constexpr int objects = 1'000'000;
    std::vector<shared_object*> mine, theirs;
    for (int i = 0; i < objects; ++i) {
        mine.push_back(create_compiled(i));
        theirs.push_back(create_from_headers(i));
    }
    bool right = true;
    for (int i = 0; i < objects; ++i) {
        const auto at = static_cast<std::size_t>(i);
        right = right && mine[at]->value == i && theirs[at]->value == i;
        right = destroy_from_headers(mine[at]) && destroy_compiled(theirs[at]) && right;
    }
    return right && linn::pool<shared_object>::statistics().live == 0;
}
#else
static bool exchange_parts() {
    return true;
}
#endif

int main() {
    int* number = linn::pool<int>::create(42);
    const bool created = *number == 42;
    linn::pool<int>::destroy(number);

    std::list<int, linn::allocator<int>> list{1, 2, 3};
    list.pop_front();
    if (!exchange_parts() || !created || list.front() != 2 || list.size() != 2) {
        return 1;
    }
    std::printf("OK %d.%d.%d\n", LINN_VERSION_MAJOR, LINN_VERSION_MINOR, LINN_VERSION_PATCH);
    return 0;
}
