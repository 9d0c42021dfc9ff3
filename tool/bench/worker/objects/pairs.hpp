// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "../team.hpp"
#include "../variant.hpp"
#include "object_loop.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace linn::tool::worker {

/// Objects that live at once, a phase each.
inline constexpr std::size_t live_counts[] = {1, 8, 100, 1'000, 10'000, 100'000, 1'000'000};
inline constexpr std::size_t most_live = live_counts[std::size(live_counts) - 1];

/// The scenarios pairs and pairs-shared for one loop.
inline outcome measure_pairs(const options& o, object_loop* loop) {
    const std::size_t pairs = o.scaled(400'000);
    mapped_array<void*> live{most_live};
    outcome result;
    result.work_check = pairs;
    for (const std::size_t usual : live_counts) {
        const std::size_t n = o.alive(usual);
        const std::size_t rounds = std::max<std::size_t>(pairs / n, 1);
        result.phases.push_back(
            measure_passes(std::to_string(usual), 1, n * rounds, result.cpu_share, [&live, loop, n] {
                return [&live, loop, n](std::size_t count) { loop(live.begin(), n, count / n); };
            }));
    }
    return result;
}

template <class Source>
outcome run_pairs(const options& o) {
    return measure_pairs(o, &pair_rounds<Source>);
}

} // namespace linn::tool::worker
