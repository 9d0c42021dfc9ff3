// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include "workload.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace linn::bench {

/// Live objects of a batch, in the order of the table.
inline constexpr std::size_t batches[] = {1, 8, 100, 1'000, 10'000, 100'000, 1'000'000};

struct batch_cell {
    std::size_t batch;
    const char* cell;
};
inline constexpr batch_cell batch_cells[] = {
    {batches[0], "1"},      {batches[1], "8"},       {batches[2], "100"},       {batches[3], "1000"},
    {batches[4], "10 000"}, {batches[5], "100 000"}, {batches[6], "1 000 000"},
};

inline std::vector<std::string> batch_cell_names() {
    std::vector<std::string> names;
    for (const batch_cell& b : batch_cells) {
        names.emplace_back(b.cell);
    }
    return names;
}

/// `rounds` times: takes `n` objects, then gives them back in the same order. Nothing touches them.
template <class Storage>
[[gnu::always_inline]] inline void take_and_give(node** live, std::size_t n, std::size_t rounds) {
    Storage storage; // empty, or what a thread keeps for a loop
    for (std::size_t r = 0; r != rounds; ++r) {
        for (std::size_t i = 0; i != n; ++i) {
            node* p = storage.take();
            escape(p);
            live[i] = p;
        }
        for (std::size_t i = 0; i != n; ++i) {
            storage.give(live[i]);
            escape(live);
        }
    }
}

/// The same, with loops as a compiler makes them for a batch of one, where a loop would cost more than its body.
template <class Storage>
[[gnu::noinline]] void run_pairs(node** live, std::size_t n, std::size_t rounds) {
    if (n == 1) {
        take_and_give<Storage>(live, 1, rounds);
    } else {
        take_and_give<Storage>(live, n, rounds);
    }
}

/// Every batch, several samples each.
template <class Storage>
void measure_pairs(sampler& s) {
    const std::size_t pairs_a_sample = s.quick() ? 2'000 : 400'000;
    array<node*> live{batches[std::size(batches) - 1]};
    for (const batch_cell& b : batch_cells) {
        if (s.quick() && b.batch > 10'000) {
            break;
        }
        const std::size_t rounds = std::max<std::size_t>(pairs_a_sample / b.batch, 1);
        run_pairs<Storage>(live.begin(), b.batch, rounds);
        for (int sample = 0; sample != 5; ++sample) {
            s.add(b.cell,
                  time_of(rounds * b.batch, [&] { run_pairs<Storage>(live.begin(), b.batch, rounds); }));
        }
    }
}

/// The worst ratio of the best general allocator's minimum to ours, and where.
struct worst_ratio {
    double ratio = 0;
    std::string cell;
    std::string rival;
};
worst_ratio worst_against(const results& all, role rivals, const row& ours);
/// The largest ratio of our minimum to the floor's, and where.
worst_ratio worst_above_floor(const results& all, const row& ours);

} // namespace linn::bench
