// SPDX-License-Identifier: Apache-2.0
// Promise: one thread allocates, another frees, 10^8 objects of 64 bytes: memory stays at the most
// that was alive at once plus a constant.
//
// Breaks when an object goes back to the thread that freed it and stays there. The objects that pass
// through would fill 6.4 GB; a part of 1/1000 that got lost would exceed the bound. Each batch is
// marked and checked, so the objects really were different at the same time.
#include "process.hpp"

#include <linn/linn.hpp>

#include <array>
#include <atomic>
#include <thread>

namespace {

struct item {
    std::uint64_t words[8];
};

constexpr std::size_t batch_size = 500;
constexpr std::size_t batches = 64;

struct batch {
    std::array<item*, batch_size> items;
};
std::array<batch, batches> ring;
std::atomic<std::size_t> head{0};
std::atomic<std::size_t> tail{0};

void allocate_only(std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        while (n - tail.load(std::memory_order_acquire) >= batches) {
            std::this_thread::yield();
        }
        for (item*& object : ring[n % batches].items) {
            object = linn::pool<item>::allocate();
            object->words[3] = n;
        }
        head.store(n + 1, std::memory_order_release);
    }
}

void free_only(std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
        while (head.load(std::memory_order_acquire) <= n) {
            std::this_thread::yield();
        }
        for (item* object : ring[n % batches].items) {
            CHECK(object->words[3] == n);
            linn::pool<item>::deallocate(object);
        }
        tail.store(n + 1, std::memory_order_release);
    }
}

} // namespace

int main() {
    const std::size_t count = linn_test::scaled(100'000'000) / batch_size;
    const std::size_t rss_before = linn_test::rss_bytes();
    std::thread a{&allocate_only, count};
    std::thread b{&free_only, count};
    a.join();
    b.join();

    const auto s = linn::pool<item>::statistics();
    CHECK(s.live == 0);
    CHECK(linn::detail::checked_build || s.slot_bytes == sizeof(item));
    // 2 MiB; checked builds keep a history next to each object.
    const std::size_t most_alive = batches * batch_size * s.slot_bytes;
    // Stash, magazines, and slabs in the size in which they come.
    CHECK_AT_MOST(s.resident_bytes, most_alive + 4 * linn_test::mib);
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), rss_before), most_alive + 5 * linn_test::mib);
    }
}
