// SPDX-License-Identifier: Apache-2.0
// Promise: under LeakSanitizer too, the child of a process whose other threads take and return memory may use pools.
//
// Breaks when the sanitizer's list of memory to search is in use at the fork: the child waits without end for a thread that
// it does not have, and the alarm ends it.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

int main() {
    constexpr std::size_t many = 2000; // the list is long, so threads are nearly always at it
    linn::buffer_pool pool{linn_test::kib, {.retain_bytes = 2 * many * linn_test::kib}};
    std::vector<linn::buffer> held;
    for (std::size_t i = 0; i < many; ++i) {
        held.push_back(pool.acquire());
    }
    std::atomic<bool> over{false};
    std::atomic<std::size_t> rounds{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!over) {
                pool.acquire().reset();
                ++rounds;
            }
        });
    }
    const int forks = linn_test::on_memcheck() ? 3 : 50;
    for (int i = 0; i < forks; ++i) {
        const std::size_t then = rounds;
        while (rounds < then + 10) {
            std::this_thread::yield();
        }
        linn_test::check_forked([&] { pool.acquire().reset(); });
    }
    over = true;
    for (std::thread& t : threads) {
        t.join();
    }
    held.clear();
    CHECK(pool.statistics().live == 0);
}
