// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace linn::tool {

/// With how many threads the programs of the group threads run: 1, 2, 4 … up to twice the CPUs.
inline std::vector<unsigned> thread_counts(unsigned cpus) {
    std::vector<unsigned> counts;
    for (unsigned n = 1; n <= 2 * cpus; n *= 2) {
        counts.push_back(n);
    }
    return counts;
}

} // namespace linn::tool
