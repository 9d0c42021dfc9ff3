// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include "team.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace linn::tool::worker {

/// What happens to a buffer between acquire and release.
enum class use { untouched, first_page, filled };

/// Acquires a buffer, uses it and releases it, again and again. `Source` has a `handle acquire()` whose destructor
/// releases; `data(handle)` is its memory.
template <use Use, class Source>
void buffer_loop(Source& source, std::size_t operations, std::size_t bytes) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = source.acquire();
        void* p = Source::data(h);
        escape(p); // also keeps a hidden fill from merging with the one below
        const int value = static_cast<int>(i % 255) + 1;
        if constexpr (Use == use::first_page) {
            std::memset(p, value, 4'096);
        }
        if constexpr (Use == use::filled) {
            std::memset(p, value, bytes);
        }
        escape(p);
    }
}

template <use Use, class Source>
phase measure_buffers(std::string name, std::size_t operations, double& share) {
    return measure_passes(std::move(name), 1, operations, share, [] {
        return [source = Source{}](std::size_t n) mutable { buffer_loop<Use>(source, n, Source::bytes); };
    });
}

/// The three uses of buffers of one size.
template <class Source>
void run_size(const options& o, outcome& result, const std::string& name) {
    const std::size_t operations = o.scaled((std::size_t{64} << 20) / Source::bytes) + 2;
    double& share = result.cpu_share;
    result.phases.push_back(measure_buffers<use::untouched, Source>(name, operations, share));
    result.phases.push_back(measure_buffers<use::first_page, Source>(name + "_page", operations, share));
    result.phases.push_back(measure_buffers<use::filled, Source>(name + "_filled", operations, share));
    result.work_check += operations;
}

/// The scenario buffers for one way; `Source<Bytes>` hands out buffers of that size.
template <template <std::size_t> class Source>
outcome run_buffers(const options& o) {
    outcome result;
    run_size<Source<std::size_t{64} << 10>>(o, result, "64k");
    run_size<Source<std::size_t{1} << 20>>(o, result, "1m");
    run_size<Source<std::size_t{8} << 20>>(o, result, "8m");
    return result;
}

} // namespace linn::tool::worker
