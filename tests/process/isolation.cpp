// SPDX-License-Identifier: Apache-2.0
// Promise: the address of an object of type A is never handed out for an object of type B, not even
// after trim() and after the threads that used it ended. A dangling pointer to an A may then point to
// another A, but never to something that is not one.
//
// Breaks when slabs of different types share a free list, or are unmapped and mapped again. Two types
// of equal size; every byte that A ever had is remembered, and B then allocates several times as much.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct type_a {
    std::uint64_t words[6];
};
struct type_b {
    double words[6];
};
static_assert(sizeof(type_a) == sizeof(type_b));

/// Pages, since what matters is whose memory it is.
std::vector<std::uintptr_t> pages_of_a;

void remember(const type_a* p) {
    const auto page = reinterpret_cast<std::uintptr_t>(p) / 4096;
    if (pages_of_a.empty() || pages_of_a.back() != page) {
        pages_of_a.push_back(page);
    }
}

void use_a(std::size_t count) {
    std::vector<type_a*> objects(count);
    for (type_a*& object : objects) {
        object = linn::pool<type_a>::create();
        remember(object);
    }
    for (type_a* object : objects) {
        linn::pool<type_a>::destroy(object);
    }
}

void use_b(std::size_t count) {
    std::sort(pages_of_a.begin(), pages_of_a.end());
    pages_of_a.erase(std::unique(pages_of_a.begin(), pages_of_a.end()), pages_of_a.end());
    std::vector<type_b*> objects(count);
    for (type_b*& object : objects) {
        object = linn::pool<type_b>::create();
        object->words[5] = 1.0;
        CHECK(!std::binary_search(pages_of_a.begin(), pages_of_a.end(),
                                  reinterpret_cast<std::uintptr_t>(object) / 4096));
        CHECK(!linn::pool<type_a>::owns(object));
    }
    for (type_b* object : objects) {
        linn::pool<type_b>::destroy(object);
    }
}

} // namespace

int main() {
    if (!linn_test::in_slabs()) {
        return linn_test::skip("objects come from the general allocator here");
    }
    const std::size_t count = linn_test::scaled(200'000) + 5000;
    for (int round = 0; round < 3; ++round) {
        use_a(count);
        CHECK(pages_of_a.size() >= count * sizeof(type_a) / 4096);
        std::thread{use_b, count}.join();
        CHECK(linn::pool<type_a>::trim() > 0);
        use_b(3 * count);
        std::thread{use_a, count}.join();
        linn::pool<type_a>::trim();
        use_b(2 * count);
        linn::pool<type_b>::trim();
    }
}
