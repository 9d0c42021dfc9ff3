// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <algorithm>
#include <cstddef>

namespace linn::bench::bulk {

struct burst_cell {
    std::size_t burst;
    const char* cell;
};
/// Objects taken in one go and given back in one go.
inline constexpr burst_cell cells[] = {
    {8, "8"}, {32, "32"}, {64, "64"}, {128, "128"}, {256, "256"}, {1'024, "1024"}, {16'384, "16 384"},
};

/// `rounds` times a burst of `n`, which nothing touches. Nanoseconds an object, taking and giving together.
template <class Storage>
[[gnu::noinline]] void run_bursts(node** burst, std::size_t n, std::size_t rounds) {
    for (std::size_t r = 0; r != rounds; ++r) {
        Storage::take(burst, n);
        escape(burst);
        Storage::give(burst, n);
        escape(burst);
    }
}

template <class Storage>
void measure_bursts(sampler& s) {
    const std::size_t objects = s.quick() ? 20'000 : 1'000'000;
    array<node*> burst{cells[std::size(cells) - 1].burst};
    for (const burst_cell& c : cells) {
        const std::size_t rounds = std::max<std::size_t>(objects / c.burst, 1);
        run_bursts<Storage>(burst.begin(), c.burst, rounds);
        for (int sample = 0; sample != 5; ++sample) {
            s.add(c.cell,
                  time_of(rounds * c.burst, [&] { run_bursts<Storage>(burst.begin(), c.burst, rounds); }));
        }
    }
}

void run_bulk(sampler& s);
void run_loop(sampler& s);
void run_general(sampler& s);

} // namespace linn::bench::bulk
