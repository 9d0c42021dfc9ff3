// SPDX-License-Identifier: Apache-2.0
// A weak_ptr keeps the slot, though not the object: with one block for both it always does.
#include <linn/memory.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <memory>

struct document {
    ~document() { std::puts("destroyed"); }
    char text[8000];
};

std::size_t slots() {
    std::size_t sum = 0;
    for (const linn::pool_statistics& pool : linn::statistics()) {
        sum += pool.live;
    }
    return sum;
}

int main() {
    // [pinned]
    auto d = linn::make_shared_for_overwrite<document>();
    std::weak_ptr<document> w = d;
    d.reset();
    std::printf("slots: %zu\n", slots()); // w still holds the 8000 bytes
    w.reset();
    std::printf("slots: %zu\n", slots());
    // [/pinned]
}
