// SPDX-License-Identifier: Apache-2.0
// What a user writes first, compiled with the warnings that a strict user has on.
#include <linn/linn.hpp>

#include <cstdio>
#include <list>

int main() {
    int* number = linn::pool<int>::create(42);
    const bool created = *number == 42;
    linn::pool<int>::destroy(number);

    std::list<int, linn::allocator<int>> list{1, 2, 3};
    list.pop_front();
    if (!created || list.front() != 2 || list.size() != 2) {
        return 1;
    }
    std::printf("OK %d.%d.%d\n", LINN_VERSION_MAJOR, LINN_VERSION_MINOR, LINN_VERSION_PATCH);
    return 0;
}
