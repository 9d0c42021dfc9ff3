// SPDX-License-Identifier: Apache-2.0
#include "trace_counts.hpp"

#include <algorithm>

namespace linn::tool {

const char* to_string(event_kind kind) noexcept {
    constexpr std::array names{"allocation", "release", "reallocation", "failure", "fill"};
    return static_cast<std::size_t>(kind) < names.size() ? names[static_cast<std::size_t>(kind)] : "unknown";
}

const char* to_string(allocation_call call) noexcept {
    constexpr std::array names{"none",
                               "malloc",
                               "calloc",
                               "realloc",
                               "aligned",
                               "operator new",
                               "operator new[]",
                               "operator new (aligned)",
                               "operator new[] (aligned)",
                               "free",
                               "operator delete",
                               "operator delete[]"};
    return static_cast<std::size_t>(call) < names.size() ? names[static_cast<std::size_t>(call)] : "unknown";
}

void trace_counts::take(std::span<const event> batch, const sample_weight& weight) {
    events += batch.size();
    for (const event& e : batch) {
        const std::size_t kind = std::min(static_cast<std::size_t>(e.kind), kinds - 1);
        ++of_kind[kind];
        ++of_call[kind][std::min(static_cast<std::size_t>(e.call), calls - 1)];
        if (e.kind == event_kind::allocation || e.kind == event_kind::reallocation) {
            bytes += e.bytes;
            if (weight.is_sample()) {
                const double n = weight.of(e.bytes);
                estimated_allocations += n;
                estimated_bytes += n * static_cast<double>(e.bytes);
                spread.add(e.bytes, n);
            }
        }
    }
}

} // namespace linn::tool
