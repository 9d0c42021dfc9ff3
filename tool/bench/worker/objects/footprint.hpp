// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "../variant.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace linn::tool::worker {

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
