// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

namespace linn::bench::buffers {

void run_linn(sampler& s);
void run_linn_object(sampler& s);
void run_general(sampler& s);
void run_overwrite(sampler& s);
void run_floor(sampler& s);

inline constexpr std::size_t payload_bytes = std::size_t{8} << 20;

/// What a database keeps of a remote file. No initialiser for `data`: value-initialisation zeroes it.
struct line {
    char data[payload_bytes];
    std::mutex lock;
    std::atomic<std::size_t> size;
};

inline constexpr const char* take_cell = "take and give back";
inline constexpr const char* fill_cell = "take, fill 8 MiB, give back";
/// By line. What general allocators keep for reuse is bounded, and this is beyond glibc's bound.
inline constexpr const char* burst_cell = "4 at a time: take, fill, give back";
inline constexpr std::size_t burst = 4;
/// Not printed in the tables: page faults a line, of all cells.
inline constexpr const char* faults_cell = "page faults";

inline long page_faults() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/// The download. Out of line, and with the pointer out of the compiler's sight before and after it, so that
/// it is neither merged with a fill with zeros before it nor dropped.
[[gnu::noinline]] inline void fill(char* data) noexcept {
    escape(data);
    std::memset(data, 0x5a, payload_bytes);
    escape(data);
}

/// `Storage::take()` gives an owner, `Storage::bytes(owner)` its payload.
template <class Storage>
void measure(sampler& s) {
    const int samples = s.quick() ? 2 : 20;
    const std::size_t takes = s.quick() ? 2 : (Storage::cheap ? 2000 : 4);
    const std::size_t fills = s.quick() ? 1 : 4;
    const auto take = [] {
        auto owner = Storage::take();
        escape(Storage::bytes(owner));
    };
    const auto take_and_fill = [] {
        auto owner = Storage::take();
        fill(Storage::bytes(owner));
    };
    const auto take_and_fill_many = [] {
        decltype(Storage::take()) owners[burst] = {Storage::take(), Storage::take(), Storage::take(),
                                                   Storage::take()};
        for (auto& owner : owners) {
            fill(Storage::bytes(owner));
        }
    };
    struct tally {
        const char* cell;
        double faults = 0;
        double lines = 0;
    };
    tally tallies[] = {{take_cell}, {fill_cell}, {burst_cell}};
    const auto measured = [&](tally& t, std::size_t times, std::size_t lines, auto&& work) {
        work(); // so that it meets its own leavings in caches and allocator, not those of the work before
        const long before = page_faults();
        const double value = time_of(times * lines, [&] {
            for (std::size_t i = 0; i != times; ++i) {
                work();
            }
        });
        t.faults += static_cast<double>(page_faults() - before);
        t.lines += static_cast<double>(times * lines);
        s.add(t.cell, value);
    };
    // Reuse is what is asked about: the first rounds fetch the memory, and let glibc raise its thresholds.
    for (int i = 0; i != 4; ++i) {
        take_and_fill_many();
        take_and_fill();
    }
    for (int sample = 0; sample != samples; ++sample) {
        measured(tallies[0], takes, 1, take);
        measured(tallies[1], fills, 1, take_and_fill);
        measured(tallies[2], fills, burst, take_and_fill_many);
    }
    double faults[3];
    for (std::size_t i = 0; i != 3; ++i) {
        faults[i] = tallies[i].faults / tallies[i].lines;
        s.add(faults_cell, faults[i]);
    }
    char text[120];
    std::snprintf(text, sizeof text, "page faults a line: %.2f taken, %.2f filled, %.2f four at a time",
                  faults[0], faults[1], faults[2]);
    s.note(text);
}

} // namespace linn::bench::buffers
