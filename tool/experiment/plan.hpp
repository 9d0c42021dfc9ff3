// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// One process to start.
struct cell {
    std::size_t round = 0;
    std::size_t job = 0; ///< one contender at one task
    bool operator==(const cell&) const = default;
};

/// Every job once a round, each round in its own random order. The same seed gives the same
/// plan everywhere (no standard library's `shuffle` takes part). Sequential blocks would turn a slow minute of the
/// machine into a slow allocator.
std::vector<cell> make_plan(std::size_t jobs, std::size_t rounds, std::uint64_t seed);

} // namespace linn::tool
