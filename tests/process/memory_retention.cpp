// SPDX-License-Identifier: Apache-2.0
// Promise: without anybody calling trim(), a pool that goes on working keeps no more empty memory than
// `retain_bytes` for longer than a moment; one object that survives in each slab is harmless, and when it goes its slab goes too.
//
// Breaks when empty slabs are kept for ever, or when a slab is given back with an object in it: the
// survivors' contents are checked after everything around them went.
#include "process.hpp"
#include "random.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    unsigned char bytes[128];
};

constexpr std::size_t retained = linn_test::mib;
constexpr std::size_t slab_bytes = 64 * linn_test::kib;

using bounded = linn::pool<item, {.slab_bytes = slab_bytes, .retain_bytes = retained}>;

void automatic() {
    const std::size_t count = linn_test::scaled(400'000);
    const std::size_t payload = count * sizeof(item);
    const std::size_t before = linn_test::rss_bytes();
    std::vector<item*> objects(count);
    std::memset(static_cast<void*>(objects.data()), 1, count * sizeof(item*));
    for (item*& object : objects) {
        object = bounded::create();
        std::memset(object->bytes, 1, sizeof object->bytes);
    }
    if (linn_test::in_slabs()) {
        CHECK(bounded::statistics().resident_bytes >= payload);
    }
    for (item* object : objects) {
        bounded::destroy(object);
    }
    CHECK(bounded::statistics().live == 0);
    if (!linn_test::in_slabs()) {
        return;
    }

    // The pool goes on with a small part: more than a thread caches, so that it visits the depot.
    const std::size_t part = count < 12'000 ? count : 12'000;
    const std::size_t bound = retained + part * sizeof(item) + 2 * linn_test::mib; // magazines, slabs in use
    const auto start = std::chrono::steady_clock::now();
    std::size_t resident = payload;
    while (resident > bound && std::chrono::steady_clock::now() - start < std::chrono::seconds{20}) {
        for (std::size_t i = 0; i < part; ++i) {
            objects[i] = bounded::create();
        }
        for (std::size_t i = 0; i < part; ++i) {
            bounded::destroy(objects[i]);
        }
        const auto s = bounded::statistics();
        resident = s.resident_bytes - s.slabs * 4096;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    CHECK_AT_MOST(resident, bound);
    const auto s = bounded::statistics();
    // A slab's first page holds objects too, and stays.
    CHECK(s.returned_bytes + bound + s.slabs * 4096 >= payload);
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), before),
                      bound + s.slabs * 4096 + count * sizeof(item*) + linn_test::mib);
    }
}

void one_survivor_a_slab() {
    struct survivor {
        unsigned char bytes[256];
    };
    using spread = linn::pool<survivor, {.slab_bytes = slab_bytes, .retain_bytes = 0}>;
    const std::size_t slots = slab_bytes / sizeof(survivor);
    const std::size_t count = 50 * slots;
    std::vector<survivor*> objects(count);
    for (std::size_t i = 0; i < count; ++i) {
        objects[i] = spread::create();
        std::memset(objects[i]->bytes, static_cast<int>(i % 251), sizeof objects[i]->bytes);
    }
    std::vector<survivor*> survivors;
    std::vector<unsigned char> marks;
    std::vector<survivor*> others;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % slots == slots / 2) {
            survivors.push_back(objects[i]);
            marks.push_back(static_cast<unsigned char>(i % 251));
        } else {
            others.push_back(objects[i]);
        }
    }
    linn_test::shuffle(others);
    for (survivor* object : others) {
        spread::destroy(object);
    }
    spread::trim();
    const auto pinned = spread::statistics();
    CHECK(pinned.live == 50);
    for (std::size_t i = 0; i < survivors.size(); ++i) {
        for (const unsigned char byte : survivors[i]->bytes) {
            CHECK(byte == marks[i]);
        }
    }
    // Around a survivor the memory goes page by page: what stays is its page and the header's, and
    // the pages in which slabs begin and end.
    CHECK_AT_MOST(pinned.resident_bytes, pinned.slabs * 5 * 4096);
    for (std::size_t i = 0; i < survivors.size(); ++i) {
        spread::destroy(survivors[i]);
    }
    spread::trim();
    const auto released = spread::statistics();
    CHECK(released.live == 0);
    CHECK_AT_MOST(released.resident_bytes, released.slabs * 4096);
}

} // namespace

int main() {
    automatic();
    one_survivor_a_slab();
}
