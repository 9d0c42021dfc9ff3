// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "../variant.hpp"
#include "object_loop.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace linn::tool::worker {

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

} // namespace linn::tool::worker
