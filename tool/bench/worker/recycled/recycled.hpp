// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../team.hpp"
#include "../variant.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool::worker {

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

/// The scenario recycled for one way: `Way<Bytes>` makes a message and lets it go, with `operator()`. In a process with one
/// thread, with an idle one next to it, and on two: the standard library counts without locked instructions until there is a second.
template <template <std::size_t> class Way>
outcome run_recycled(const options& o) {
    const std::size_t operations = o.scaled(40'000);
    outcome result;
    result.work_check = operations;
    const auto add = [&](const char* state, unsigned threads) {
        const auto measure = [&]<std::size_t Bytes> {
            result.phases.push_back(measure_passes(std::string{state} + '_' + std::to_string(Bytes), threads,
                                                   operations, result.cpu_share, [] {
                                                       return [way = Way<Bytes>{}](std::size_t n) mutable {
                                                           for (std::size_t i = 0; i != n; ++i) {
                                                               way();
                                                           }
                                                       };
                                                   }));
        };
        measure.template operator()<1500>();
        measure.template operator()<400>();
    };
    add("single", 1);
    const idle_thread second;
    add("multi", 1);
    add("two", 2);
    return result;
}

} // namespace linn::tool::worker
