// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace linn::bench::recycling {

void run_recycler(sampler& s);
void run_recycler_filling(sampler& s);
void run_recycler_handle(sampler& s);
void run_allocate_shared(sampler& s);
void run_floor(sampler& s);
void run_general(sampler& s);

/// What a request, a row or a packet with its parsed fields looks like: it owns two buffers.
template <std::size_t Bytes>
struct message {
    std::vector<unsigned char> payload;
    std::string from;

    void fill() {
        payload.assign(Bytes, 7);
        from.assign(100, 'x');
    }
    void clear() noexcept {
        payload.clear();
        from.clear();
    }
};

/// A message as a program makes it without a recycler.
template <std::size_t Bytes>
struct filled_message : message<Bytes> {
    filled_message() { this->fill(); }
};

/// Of a network packet, and of less.
inline constexpr std::size_t large = 1500;
inline constexpr std::size_t small = 400;

inline constexpr const char* cells[] = {"1500 B, single-threaded", "1500 B, multi-threaded",
                                        "1500 B, two threads",     "400 B, single-threaded",
                                        "400 B, multi-threaded",   "400 B, two threads"};

/// Shortest time of a pair over several runs.
template <class Pair>
double best_of(std::size_t runs, std::size_t pairs, Pair&& pair) {
    double best = 0;
    for (std::size_t r = 0; r != runs; ++r) {
        const double t = time_of(pairs, [&] {
            for (std::size_t i = 0; i != pairs; ++i) {
                pair();
            }
        });
        best = r == 0 ? t : std::min(best, t);
    }
    return best;
}

template <class Pair>
double best_of_two_threads(std::size_t runs, std::size_t pairs, Pair pair) {
    std::atomic<int> missing{2};
    double times[2] = {};
    std::vector<std::thread> team;
    for (double& time : times) {
        team.emplace_back([&] {
            pair();
            missing.fetch_sub(1);
            while (missing.load() != 0) {
                std::this_thread::yield();
            }
            time = best_of(runs, pairs, pair);
        });
    }
    for (std::thread& t : team) {
        t.join();
    }
    return std::max(times[0], times[1]);
}

/// Each pair makes an object and gives it up. Standard libraries count without locked instructions until a process
/// has its first thread, so the order begins with the work that is alone in its process.
template <class Large, class Small>
void measure(sampler& s, Large pair_large, Small pair_small) {
    const std::size_t pairs = s.quick() ? 100 : 20'000;
    const std::size_t runs = s.quick() ? 1 : 10;
    pair_large();
    pair_small();
    s.add(cells[0], best_of(runs, pairs, pair_large));
    s.add(cells[3], best_of(runs, pairs, pair_small));
    std::thread{[] {}}.join();
    s.add(cells[1], best_of(runs, pairs, pair_large));
    s.add(cells[4], best_of(runs, pairs, pair_small));
    s.add(cells[2], best_of_two_threads(runs, pairs, pair_large));
    s.add(cells[5], best_of_two_threads(runs, pairs, pair_small));
}

} // namespace linn::bench::recycling
