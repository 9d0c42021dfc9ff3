// SPDX-License-Identifier: Apache-2.0
// Promise: sixteen threads that only allocate and one that only frees, with a bounded number of
// objects alive: memory is bounded by that number plus a constant a thread.
//
// Breaks when freed objects gather where nobody who allocates looks for them: in the cache of the
// thread that frees, or in lists of threads that own them. So many objects pass through that this
// would show as hundreds of megabytes.
#include "process.hpp"

#include <linn/linn.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace {

struct item {
    std::uint64_t words[8];
};
static_assert(sizeof(item) == 64);

constexpr std::size_t producers = 16;
constexpr std::size_t ring_slots = 256;

struct alignas(64) ring {
    std::array<std::atomic<item*>, ring_slots> slots{};
};
std::array<ring, producers> rings;

void produce(std::size_t me, std::size_t count) {
    ring& mine = rings[me];
    for (std::size_t i = 0; i < count; ++i) {
        item* object = linn::pool<item>::create();
        object->words[0] = me;
        object->words[7] = i;
        std::atomic<item*>& slot = mine.slots[i % ring_slots];
        while (slot.load(std::memory_order_acquire) != nullptr) {
            std::this_thread::yield();
        }
        slot.store(object, std::memory_order_release);
    }
}

void consume(std::size_t count) {
    std::array<std::size_t, producers> next{};
    for (std::size_t done = 0; done < producers * count;) {
        const std::size_t before = done;
        for (std::size_t p = 0; p < producers; ++p) {
            while (next[p] < count) {
                std::atomic<item*>& slot = rings[p].slots[next[p] % ring_slots];
                item* object = slot.load(std::memory_order_acquire);
                if (object == nullptr) {
                    break;
                }
                CHECK(object->words[0] == p && object->words[7] == next[p]);
                slot.store(nullptr, std::memory_order_release);
                linn::pool<item>::destroy(object);
                ++next[p];
                ++done;
            }
        }
        if (done == before) {
            std::this_thread::yield();
        }
    }
}

} // namespace

int main() {
    const std::size_t each = linn_test::scaled(500'000);
    const std::size_t rss_before = linn_test::rss_bytes();
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < producers; ++p) {
        threads.emplace_back(&produce, p, each);
    }
    std::thread consumer{&consume, each};
    for (std::thread& t : threads) {
        t.join();
    }
    consumer.join();

    const auto s = linn::pool<item>::statistics();
    CHECK(s.live == 0);
    // What can be out at once: full rings, one more in each hand, and two magazines of 128
    // objects a thread; then slabs, which grow to 2 MiB.
    constexpr std::size_t payload = (producers * (ring_slots + 1) + (producers + 1) * 2 * 128) * sizeof(item);
    CHECK_AT_MOST(s.resident_bytes, payload + 4 * linn_test::mib);
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), rss_before), payload + 8 * linn_test::mib);
    }
}
