// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "packet.hpp"
#include "team.hpp"
#include "variant.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace linn::tool::worker {

/// Packets that live at once in a burst, and a network card's usual share of work.
inline constexpr std::size_t burst = 256;

/// Creates one, writes its first word and destroys it, again and again.
/// `Way` is a class with `handle create()` and, unless the handle's destructor does it, `void destroy(handle&)`.
template <class Way>
void hot_loop(Way& way, std::size_t operations) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = way.create();
        h->length = i;
        escape(&*h);
        way.destroy(h);
    }
}

/// Creates a burst, then destroys it in the order of creation.
template <class Way>
void burst_loop(Way& way, std::size_t operations) {
    std::array<decltype(way.create()), burst> live{};
    for (std::size_t i = 0; i < operations; i += burst) {
        for (auto& h : live) {
            h = way.create();
            h->length = i;
            escape(&*h);
        }
        for (auto& h : live) {
            way.destroy(h);
        }
    }
}

/// The scenario shared-ptr for one way of creating and destroying: hot and in bursts, in a process with one thread,
/// in one with an idle second thread, and with two threads that really work.
template <class Way>
outcome run_shared_ptr(const options& o) {
    const std::size_t operations = (o.scaled(40'960) + burst - 1) / burst * burst;
    outcome result;
    result.work_check = operations;
    const auto hot = [] { return [way = Way{}](std::size_t n) mutable { hot_loop(way, n); }; };
    const auto bursts = [] { return [way = Way{}](std::size_t n) mutable { burst_loop(way, n); }; };

    std::optional<idle_thread> second;
    for (const char* state : {"single", "multi"}) {
        const std::string prefix = state;
        result.phases.push_back(measure_passes(prefix + "_hot", 1, operations, result.cpu_share, hot));
        result.phases.push_back(measure_passes(prefix + "_burst", 1, operations, result.cpu_share, bursts));
        if (!second) {
            second.emplace();
        }
    }
    result.phases.push_back(measure_passes("two_hot", 2, operations, result.cpu_share, hot));
    result.phases.push_back(measure_passes("two_burst", 2, operations, result.cpu_share, bursts));
    return result;
}

/// For ways whose handle owns: destroying is letting go.
struct owning_way {
    template <class Handle>
    static void destroy(Handle& h) {
        h = Handle{};
    }
};

} // namespace linn::tool::worker
