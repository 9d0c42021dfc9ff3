// SPDX-License-Identifier: Apache-2.0
#include "counts.hpp"

#include "../measure/words.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

// Of the normal distribution, for 96.5 %: the approximations are worth one and a half.
constexpr double quantile = 2.11;

/// A quantile of the gamma distribution with scale 1; `side` is that of the normal distribution.
double gamma_quantile(double shape, double side) noexcept {
    const double root = 1 - 1 / (9 * shape) + side / (3 * std::sqrt(shape));
    return root > 0 ? shape * root * root * root : 0;
}

} // namespace

double sample_weight::of(std::uint64_t bytes) const noexcept {
    const auto counted = static_cast<double>(sampling::counted_bytes(bytes));
    return is_sample() ? -1 / std::expm1(-counted / mean_) : 1;
}

std::uint64_t sample_weight::rounded(std::uint64_t bytes, std::uint64_t address,
                                     std::uint64_t time) const noexcept {
    const double weight = of(bytes);
    const double down = std::floor(weight);
    std::uint64_t mix = address * 0x9e37'79b9'7f4a'7c15u ^ time * 0xbf58'476d'1ce4'e5b9u;
    mix = (mix ^ mix >> 29) * 0x94d0'49bb'1331'11ebu; // as SplitMix64 ends
    const double uniform = static_cast<double>((mix ^ mix >> 32) >> 11) * 0x1p-53;
    return static_cast<std::uint64_t>(down) + static_cast<std::uint64_t>(uniform < weight - down);
}

sample_bounds bounds_of_sample(double estimate, const sample_spread& spread) noexcept {
    // Of a few large blocks the rounded weights may all be 1, as if nothing was missing.
    const double missing = spread.missing;
    if (!(missing > 0) || !(spread.variance > 0)) {
        return {estimate, estimate};
    }
    const double shape = missing * missing / spread.variance;
    const double scale = spread.variance / missing;
    const double one_more = missing / (spread.bytes + missing); // block, with the chance that it is missing
    // Blocks are whole: what is less than one of them is none.
    const double one = spread.bytes / static_cast<double>(spread.blocks);
    const double least = scale * gamma_quantile(shape, -quantile) - one;
    return {std::min(estimate, spread.bytes + (least > 0 ? least : 0)),
            std::max(estimate, spread.bytes + scale * gamma_quantile(shape + one_more, quantile))};
}

const char* to_string(event_kind kind) noexcept {
    return word_of(kind, {"allocation", "release", "reallocation", "failure", "fill"});
}

const char* to_string(allocation_call call) noexcept {
    return word_of(call, {"none", "malloc", "calloc", "realloc", "aligned", "operator new", "operator new[]",
                          "operator new (aligned)", "operator new[] (aligned)", "free", "operator delete",
                          "operator delete[]"});
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
