// SPDX-License-Identifier: Apache-2.0
// Promise: without anybody calling trim(), a pool that goes on working keeps no more empty memory than
// `retain_bytes` for longer than a moment.
//
// Breaks when empty slabs are kept for ever. What trim() returns, also around survivors: memory_returns.
#include "process.hpp"

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

} // namespace

int main() {
    automatic();
}
