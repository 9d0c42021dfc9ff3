// SPDX-License-Identifier: Apache-2.0
// Promise: 10 000 short threads, one after the other and eight at a time, leave memory flat.
//
// Breaks when the caches, magazines or bookkeeping of a thread stay behind when it ends. Each thread
// uses three pools and leaves some objects for another to free. A tenth of the threads is the warm-up
// against which the rest is compared; what leaked a single magazine a thread would stand out by
// megabytes.
#include "process.hpp"
#include "random.hpp"

#include <linn/linn.hpp>

#include <atomic>
#include <span>
#include <thread>
#include <vector>

namespace {

struct small {
    char bytes[24];
};
struct medium {
    char bytes[200];
};
struct large {
    char bytes[3000];
};

std::atomic<small*> left_behind{nullptr};

template <class T>
void work(std::size_t n) {
    T* objects[100];
    for (std::size_t i = 0; i < n; ++i) {
        objects[i] = linn::pool<T>::create();
        objects[i]->bytes[0] = 1;
    }
    std::span<T*> order{objects, n};
    linn_test::shuffle(order, n);
    for (T* object : order) {
        linn::pool<T>::destroy(object);
    }
}

void thread_main() {
    work<small>(100);
    work<medium>(70);
    work<large>(20);
    linn::pool<small>::destroy(left_behind.exchange(linn::pool<small>::create()));
}

void run_threads(std::size_t count, std::size_t at_once) {
    for (std::size_t done = 0; done < count; done += at_once) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < at_once; ++i) {
            threads.emplace_back(&thread_main);
        }
        for (std::thread& t : threads) {
            t.join();
        }
    }
}

std::size_t resident() {
    return linn::pool<small>::statistics().resident_bytes + linn::pool<medium>::statistics().resident_bytes +
           linn::pool<large>::statistics().resident_bytes;
}

} // namespace

int main() {
    const std::size_t warm_up = linn_test::scaled(1000);
    const std::size_t count = linn_test::scaled(10'000);
    run_threads(warm_up, 1);
    run_threads(warm_up, 8);
    const std::size_t resident_before = resident();
    const std::size_t rss_before = linn_test::rss_bytes();
    const std::size_t reserved_before = linn::pool<large>::statistics().reserved_bytes;
    run_threads(count / 2, 1);
    run_threads(count / 2, 8);
    // With eight at a time the number that run together, and so what is out at once, varies.
    CHECK_AT_MOST(linn_test::grown(resident(), resident_before), 512 * linn_test::kib);
    CHECK_AT_MOST(linn_test::grown(linn::pool<large>::statistics().reserved_bytes, reserved_before),
                  2 * linn_test::mib);
    if (linn_test::rss_is_ours()) {
        CHECK_AT_MOST(linn_test::grown(linn_test::rss_bytes(), rss_before), linn_test::mib);
    }
    linn::pool<small>::destroy(left_behind.exchange(nullptr));
    for (const auto& s : linn::statistics()) {
        CHECK(s.live == 0);
        CHECK(s.threads <= 1);
        CHECK(s.peak >= 20);
    }
}
