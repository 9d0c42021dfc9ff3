// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "team.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace linn::tool::worker {

/// Ticks in a nanosecond, to about a percent: enough to bound the time of a size.
inline double rough_tick_rate() {
    const std::uint64_t begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    std::uint64_t end_ns = begin_ns;
    while (end_ns - begin_ns < 200'000) {
        end_ns = now_ns();
    }
    return static_cast<double>(ticks() - begin) / static_cast<double>(end_ns - begin_ns);
}

/// How many pairs a pass has: `wanted`, or as many as fit when all passes together may take `bound` ticks. The pairs
/// that find this out also warm the allocator up. A thread that had to wait for its CPU must not pass for a slow
/// allocator, so the least of several tries counts.
template <class Make>
std::size_t fitting_pairs(unsigned threads, std::size_t wanted, double bound, const Make& make) {
    constexpr double passes = usual_passes + 1;
    constexpr int tries = 4; // after the first
    double ignored = 1;
    for (std::size_t pairs = 1;; pairs *= 8) {
        double each = measure_once({}, threads, pairs, ignored, make).cycles_per_operation;
        // The first pair of all pays for memory that later ones reuse; a single one is believed only when it alone
        // takes up a good part of the time.
        const double enough = pairs == 1 ? bound / 4 : bound / 64;
        const auto is_enough = [&] { return each * static_cast<double>(pairs) >= enough; };
        for (int i = 0; i != tries && is_enough(); ++i) {
            each = std::min(each, measure_once({}, threads, pairs, ignored, make).cycles_per_operation);
        }
        if (!is_enough() && pairs < wanted) {
            continue;
        }
        const double fitting = bound / passes / std::max(each, 1e-3);
        return fitting < static_cast<double>(wanted)
                   ? std::max<std::size_t>(1, static_cast<std::size_t>(fitting))
                   : wanted;
    }
}

} // namespace linn::tool::worker
