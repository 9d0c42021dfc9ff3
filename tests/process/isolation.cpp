// SPDX-License-Identifier: Apache-2.0
// Promise: the address of an object of type A is never handed out for an object of type B, not even
// after trim() and after the threads that used it ended. A dangling pointer to an A may then point to
// another A, but never to something that is not one.
//
// Breaks when slabs of different types share a free list, or are unmapped and mapped again. Two types
// of equal size; every byte that A ever had is remembered, and B then allocates several times as much.
// Writes through a dangling pointer do not change what is handed out.
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

/// Writes into destroyed objects, as an attacker does who has a dangling pointer, and looks at what is handed out then.
void write_after_free() {
    std::vector<type_a*> objects(5000);
    linn::pool<type_a>::allocate_n(objects);
    std::vector<std::uintptr_t> stale;
    for (type_a* p : objects) {
        stale.push_back(reinterpret_cast<std::uintptr_t>(p));
    }
    linn::pool<type_a>::deallocate_n(objects);
    for (const std::uintptr_t at : stale) {
        for (std::size_t i = 0; i != sizeof(type_a); i += sizeof(std::uint64_t)) {
            *reinterpret_cast<volatile std::uint64_t*>(at + i) = 0x6f77'6e65'6421'2121;
        }
    }
    linn::pool<type_a>::allocate_n(objects);
    std::sort(objects.begin(), objects.end());
    for (std::size_t i = 0; i != objects.size(); ++i) {
        CHECK(linn::pool<type_a>::owns(objects[i]));
        CHECK(i == 0 || objects[i - 1] + 1 <= objects[i]);
    }
    linn::pool<type_a>::deallocate_n(objects);
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
    if (!linn::detail::checked_build) { // which reports the write
        write_after_free();
    }
}
