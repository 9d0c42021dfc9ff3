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

/// Objects that are allocated in one go and freed in one go, a phase each.
inline constexpr std::size_t burst_counts[] = {8, 32, 64, 128, 256, 1'024, 16'384};

/// A burst by single calls of a source.
template <class Source>
struct one_by_one {
    using pointer = void*;
    static void take(void** out, std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            out[i] = Source::take();
        }
    }
    static void give(void** objects, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            Source::give(objects[i]);
        }
    }
};

/// The scenario bursts. Nothing touches the objects. `Bursts` has `take(pointer*, n)` and `give(pointer*, n)`.
template <class Bursts>
outcome run_bursts(const options& o) {
    const std::size_t objects = o.scaled(1'000'000);
    mapped_array<typename Bursts::pointer> live{burst_counts[std::size(burst_counts) - 1]};
    outcome result;
    result.work_check = objects;
    for (const std::size_t n : burst_counts) {
        const std::size_t rounds = std::max<std::size_t>(objects / n, 1);
        result.phases.push_back(
            measure_passes(std::to_string(n), 1, n * rounds, result.cpu_share, [&live, n] {
                return [&live, n](std::size_t count) {
                    for (std::size_t done = 0; done != count; done += n) {
                        Bursts::take(live.begin(), n);
                        escape(live.begin());
                        Bursts::give(live.begin(), n);
                        escape(live.begin());
                    }
                };
            }));
    }
    return result;
}

} // namespace linn::tool::worker
