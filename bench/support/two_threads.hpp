// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace linn::bench {

/// Work on two threads at once: ticks of one thread for each of its `n` operations.
template <class Work>
double time_of_two(std::size_t n, Work work) {
    std::atomic<int> missing{2};
    std::uint64_t start[2];
    std::uint64_t end[2];
    const auto run = [&](int t) {
        missing.fetch_sub(1, std::memory_order_acq_rel);
        while (missing.load(std::memory_order_acquire) != 0) {
            std::this_thread::yield();
        }
        start[t] = ticks();
        work(n);
        end[t] = ticks();
    };
    std::thread other{run, 1};
    run(0);
    other.join();
    const std::uint64_t wall = std::max(end[0], end[1]) - std::min(start[0], start[1]);
    const std::size_t cores = std::thread::hardware_concurrency();
    // Where there is one core, the two take turns.
    return static_cast<double>(wall) / static_cast<double>(n) / (cores == 1 ? 2 : 1);
}

} // namespace linn::bench
