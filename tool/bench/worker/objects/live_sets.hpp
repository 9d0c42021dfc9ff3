// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "../team.hpp"
#include "../variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>

namespace linn::tool::worker {

inline constexpr std::size_t set_sizes[] = {3'000, 10'000, 30'000, 100'000, 1'000'000};

/// Allocates a set of objects, writes each, and frees them in the order of `order`.
template <class Source>
[[gnu::noinline]] void turn_over(Source& source, mapped_array<void*>& live, const std::uint32_t* order) {
    for (void*& place : live) {
        void* p = source.take();
        *static_cast<char*>(p) = 1;
        place = p;
    }
    for (std::size_t i = 0; i != live.size(); ++i) {
        source.give(live[order[i]]);
    }
}

/// Objects of one size: each live set in order, then each at random, until a pass has a million pairs.
template <class Source>
void measure_live_sets(const options& o, const std::string& bytes, outcome& result) {
    for (const bool at_random : {false, true}) {
        for (const std::size_t usual : set_sizes) {
            const std::size_t n = o.alive(usual);
            mapped_array<void*> live{n};
            mapped_array<std::uint32_t> order{n};
            std::iota(order.begin(), order.end(), std::uint32_t{0});
            if (at_random) {
                std::shuffle(order.begin(), order.end(), std::mt19937_64{11});
            }
            const std::size_t turns = std::max<std::size_t>(o.scaled(1'000'000) / n, 1);
            const auto make = [&] {
                return [&, source = Source{}](std::size_t pairs) mutable {
                    for (std::size_t done = 0; done != pairs; done += n) {
                        turn_over(source, live, order.begin());
                    }
                };
            };
            constexpr std::size_t passes = 3;
            result.phases.push_back(
                measure_bodies({bytes + (at_random ? "_random_" : "_order_") + std::to_string(usual), 1,
                                n * turns, passes, true},
                               result.cpu_share, make));
            result.work_check += n * turns;
        }
    }
}

/// The scenario live-sets for one source of objects of some size.
template <template <std::size_t> class Source>
outcome run_live_sets(const options& o) {
    outcome result;
    measure_live_sets<Source<16>>(o, "16", result);
    measure_live_sets<Source<64>>(o, "64", result);
    measure_live_sets<Source<256>>(o, "256", result);
    return result;
}

} // namespace linn::tool::worker
