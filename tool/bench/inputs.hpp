// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <random>
#include <vector>

namespace linn::tool {

/// The integers of the published `unordered_set` measurement: a default-seeded `std::mt19937` through a
/// `std::uniform_int_distribution<int>` over every value of `int`.
class published_integers {
public:
    int operator()() { return distribution_(engine_); }

private:
    std::mt19937 engine_;
    std::uniform_int_distribution<int> distribution_{std::numeric_limits<int>::min(),
                                                     std::numeric_limits<int>::max()};
};

/// With how many threads the programs of the group threads run: 1, 2, 4 … up to twice the CPUs.
inline std::vector<unsigned> thread_counts(unsigned cpus) {
    std::vector<unsigned> counts;
    for (unsigned n = 1; n <= 2 * cpus; n *= 2) {
        counts.push_back(n);
    }
    return counts;
}

} // namespace linn::tool
