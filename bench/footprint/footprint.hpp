// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <cstddef>

namespace linn::bench::footprint {

void run_linn(sampler& s);
void run_general(sampler& s);

struct small {
    unsigned char bytes[24];
};

inline constexpr const char* live_cell = "memory / payload, 1 M live";
inline constexpr const char* freed_cell = "% of payload that stays, all freed";
inline constexpr const char* trimmed_cell = "% of payload that stays, trimmed";

/// Bytes of this process in memory, summed over its pages and not from the kernel's lazy counters.
std::size_t resident_bytes();

/// Asks the allocator to give back what it can; says what was called.
using trim_function = const char* (*)();

/// 1 M objects taken one after the other and written, freed in the same order, trimmed.
template <class Storage>
void measure(sampler& s, trim_function trim) {
    const std::size_t n = s.quick() ? 10'000 : 1'000'000;
    const double payload = static_cast<double>(n * sizeof(small));
    array<small*> live{n};
    resident_bytes(); // what reading costs is there before
    const std::size_t before = resident_bytes();
    const auto grown = [&] {
        const std::size_t now = resident_bytes();
        return static_cast<double>(now > before ? now - before : 0);
    };
    for (small*& p : live) {
        p = Storage::take();
        p->bytes[0] = 1;
        p->bytes[23] = 1;
    }
    s.add(live_cell, grown() / payload);
    for (small* p : live) {
        Storage::give(p);
    }
    // A byte more: a cell of nothing would read as one that was not measured.
    s.add(freed_cell, (grown() + 1) / payload * 100);
    const char* called = trim();
    s.add(trimmed_cell, (grown() + 1) / payload * 100);
    s.note(called);
}

} // namespace linn::bench::footprint
