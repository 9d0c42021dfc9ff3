// SPDX-License-Identifier: Apache-2.0
// Promise: after a million objects are freed in random order, trim() gives their memory back; at most 1 % and a
// small constant stay. A thousand rounds of allocating, freeing and trimming do not drift.
//
// Breaks when slabs stay resident, or their addresses pile up round after round. Payload is written,
// and the growth before the trim is checked, so that there was something to give back.
#include "process.hpp"
#include "random.hpp"

#include <linn/linn.hpp>

#include <cstring>
#include <thread>
#include <vector>

namespace {

struct item {
    char bytes[48];
};
struct node {
    char bytes[300];
};

constexpr std::size_t small_constant = 512 * linn_test::kib;
/// The header's page of a slab, which is smaller where addresses are 32 bits wide.
constexpr std::size_t part_that_stays = sizeof(void*) == 8 ? 100 : 60;

void allocate_and_free_everything(std::vector<item*>& objects) {
    for (item*& object : objects) {
        object = linn::pool<item>::create();
        std::memset(object->bytes, 0x5a, sizeof object->bytes);
    }
}

void million() {
    const std::size_t count = linn_test::scaled(1'000'000);
    const std::size_t payload = count * sizeof(item);
    std::vector<item*> objects(count);
    std::thread{[] {}}.join(); // the first thread costs the system more than the next
    const std::size_t before = linn_test::rss_bytes();
    for (int round = 0; round < 3; ++round) {
        allocate_and_free_everything(objects);
        const auto full = linn::pool<item>::statistics();
        CHECK(full.live == count);
        if (linn_test::in_slabs()) {
            CHECK(full.resident_bytes >= payload);
        }
        if (linn_test::rss_is_ours()) {
            CHECK(linn_test::grown(linn_test::rss_bytes(), before) >= payload);
        }
        linn_test::shuffle(objects);
        // From another thread in one round: memory does not care who frees.
        const auto free_all = [&] {
            for (item* object : objects) {
                linn::pool<item>::destroy(object);
            }
        };
        if (round == 1) {
            std::thread{free_all}.join();
        } else {
            free_all();
        }
        const std::size_t returned = linn::pool<item>::trim();
        const auto empty = linn::pool<item>::statistics();
        CHECK(empty.live == 0);
        CHECK(empty.cached == 0);
        CHECK_AT_MOST(empty.resident_bytes, payload / part_that_stays + small_constant);
        if (linn_test::in_slabs()) {
            // Some of it may have gone before, since retention is bounded. Headers share a page with objects.
            CHECK(empty.returned_bytes + empty.slabs * 4096 >= payload);
            CHECK(returned > 0);
        }
        if (linn_test::rss_is_ours()) {
            CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), before),
                          payload / part_that_stays + small_constant);
        }
        CHECK(linn::pool<item>::trim() == 0);
    }
}

void thousand_rounds() {
    const std::size_t count = 5000;
    std::vector<node*> objects(count);
    std::size_t reserved = 0;
    std::size_t slabs = 0;
    std::size_t rss = 0;
    const std::size_t rounds = linn_test::scaled(1000) < 20 ? 20 : linn_test::scaled(1000);
    for (std::size_t round = 0; round < rounds; ++round) {
        // Sizes vary, so that slabs do not come back exactly as they went.
        const std::size_t now = count - round * 37 % 1000;
        for (std::size_t i = 0; i < now; ++i) {
            objects[i] = linn::pool<node>::create();
            objects[i]->bytes[0] = 1;
        }
        std::vector<node*> order(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(now));
        linn_test::shuffle(order, round);
        for (node* object : order) {
            linn::pool<node>::destroy(object);
        }
        linn::pool<node>::trim();
        const auto s = linn::pool<node>::statistics();
        CHECK(s.live == 0);
        if (round == 3) {
            reserved = s.reserved_bytes;
            slabs = s.slabs;
            rss = linn_test::rss_bytes();
        } else if (round > 3) {
            CHECK(s.reserved_bytes == reserved);
            CHECK(s.slabs == slabs);
            CHECK_AT_MOST(s.resident_bytes, s.slabs * 4096);
        }
    }
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), rss), 128 * linn_test::kib);
    }
}

/// What another thread caches goes at its next visit of the depot, or when it ends.
void caches_of_others() {
    std::vector<item*> objects(2000);
    std::thread other{[&] {
        for (item*& object : objects) {
            object = linn::pool<item>::create();
        }
        linn_test::shuffle(objects);
        for (item* object : objects) {
            linn::pool<item>::destroy(object);
        }
        linn::pool<item>::trim();
    }};
    other.join();
    linn::pool<item>::trim();
    const auto s = linn::pool<item>::statistics();
    CHECK(s.cached == 0);
    CHECK_AT_MOST(s.resident_bytes, s.slabs * 4096);
}

} // namespace

int main() {
    million();
    thousand_rounds();
    caches_of_others();
}
