// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure.hpp"
#include "../team.hpp"
#include "pairs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <random>
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

template <class Source, bool Write>
[[gnu::noinline]] void allocate_all(mapped_array<void*>& live) {
    for (void*& place : live) {
        void* p = Source::take();
        if constexpr (Write) {
            *static_cast<char*>(p) = 1;
        }
        escape(p);
        place = p;
    }
}

template <class Source>
[[gnu::noinline]] void free_all(mapped_array<void*>& live) {
    for (void* p : live) {
        Source::give(p);
        escape(live.begin());
    }
}

/// The scenario scattered: objects are allocated and written, freed in random order, allocated again. Nothing else runs
/// between, so the second allocation meets the order that the first free left.
template <class Source>
outcome run_scattered(const options& o) {
    const std::size_t n = o.alive(200'000);
    mapped_array<void*> live{n};
    std::mt19937_64 random{7};
    std::array<phase, 5> freed;
    std::array<phase, 5> again;
    std::array<phase, 5> written;
    const auto free_at_random = [&] {
        allocate_all<Source, true>(live);
        std::shuffle(live.begin(), live.end(), random);
        const stopwatch watch;
        free_all<Source>(live);
        return watch.finish("free", n);
    };
    for (std::size_t pass = 0; pass != freed.size(); ++pass) {
        freed[pass] = free_at_random();
        {
            const stopwatch watch;
            allocate_all<Source, false>(live);
            again[pass] = watch.finish("again", n);
        }
        free_all<Source>(live);
        free_at_random();
        {
            const stopwatch watch;
            allocate_all<Source, true>(live);
            written[pass] = watch.finish("again_written", n);
        }
        free_all<Source>(live);
    }
    outcome result;
    result.work_check = n;
    result.phases = {median_pass(freed), median_pass(again), median_pass(written)};
    return result;
}

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

inline constexpr std::size_t footprint_bytes = 24;

/// What this process wrote, in bytes, summed over its pages and not from the kernel's lazy counters. Pages of code that a
/// contender happens to run first are no memory that it holds.
inline std::size_t anonymous_bytes() {
    static char text[4'096]; // a stream would allocate
    const int file = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    const ssize_t got = ::read(file, text, sizeof text - 1);
    ::close(file);
    text[got > 0 ? got : 0] = '\0';
    const char* line = std::strstr(text, "\nAnonymous:");
    return line != nullptr ? std::strtoull(line + 11, nullptr, 10) * 1'024 : 0;
}

/// The scenario footprint for one source: a million objects allocated one after the other and written, freed in the same
/// order, and the allocator asked to give back what it can. The metrics are what the process has more than before.
template <class Source>
outcome run_footprint(const options& o) {
    const std::size_t n = o.alive(1'000'000);
    mapped_array<void*> live{n};
    anonymous_bytes(); // what reading costs is there before
    const std::size_t before = anonymous_bytes();
    outcome result;
    result.work_check = n;
    const auto add = [&](const char* name, auto work) {
        const stopwatch watch;
        work();
        phase p = watch.finish(name, n);
        const std::size_t now = anonymous_bytes();
        const double grown = static_cast<double>(now > before ? now - before : 0);
        p.metrics = {{"anonymous_bytes", grown},
                     {"of_payload", grown / static_cast<double>(n * footprint_bytes)}};
        result.phases.push_back(std::move(p));
    };
    add("live", [&] {
        for (void*& place : live) {
            char* p = static_cast<char*>(Source::take());
            p[0] = 1;
            p[footprint_bytes - 1] = 1;
            place = p;
        }
    });
    add("freed", [&] {
        for (void* p : live) {
            Source::give(p);
        }
    });
    add("trimmed", [] { Source::trim(); });
    return result;
}

} // namespace linn::tool::worker
