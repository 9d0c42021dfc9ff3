// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace linn::tool {

/// What one block of a sampled trace stands for: `trace_info::sample_bytes` is the mean distance of samples. Of a trace that
/// has all blocks, one.
class sample_weight {
public:
    sample_weight() noexcept = default;
    explicit sample_weight(std::uint64_t sample_bytes) noexcept : mean_{static_cast<double>(sample_bytes)} {}

    bool is_sample() const noexcept { return mean_ > 0; }

    /// The inverse of the chance that a block of this size is in the trace.
    double of(std::uint64_t bytes) const noexcept;

    /// The same as a whole number, rounded up or down at random, so that sums of them are right on average. Equal arguments give
    /// equal results: a block is taken out of a sum with the weight that it was added with.
    std::uint64_t whole(std::uint64_t bytes, std::uint64_t address, std::uint64_t time) const noexcept {
        return is_sample() ? rounded(bytes, address, time) : 1;
    }

private:
    std::uint64_t rounded(std::uint64_t bytes, std::uint64_t address, std::uint64_t time) const noexcept;

    double mean_ = 0;
};

/// What a sum over a sample is made of, to know how far it may be off.
struct sample_spread {
    std::uint64_t blocks = 0; ///< in the sample
    double bytes = 0;         ///< of these blocks alone, which is sure
    double missing = 0;       ///< estimate of the others' bytes, by weights that are not rounded
    double variance = 0;      ///< of the estimate of all bytes

    void add(std::uint64_t size, double weight) noexcept {
        const auto b = static_cast<double>(size);
        ++blocks;
        bytes += b;
        missing += b * (weight - 1);
        variance += b * b * weight * (weight - 1); // (1 - p) / p^2
    }
    void merge(const sample_spread& other) noexcept {
        blocks += other.blocks;
        bytes += other.bytes;
        missing += other.missing;
        variance += other.variance;
    }
};

/// The bounds between which all bytes lie in 95 of 100 samples, or more.
struct sample_bounds {
    double low = 0;
    double high = 0;
};

/// The bounds of an estimate, which lies within them: they come from weights that are not rounded, it does not. Of equal blocks, the number of those that are not in the sample has a negative binomial
/// distribution, which a gamma distribution with its mean and variance stands for; of unequal blocks their bytes are taken for the same. So
/// nothing is assumed that few blocks cannot show. There are no such bounds of the number of blocks: small ones may be many
/// without one of them in the sample. @source C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
/// illustrated in the case of the binomial", Biometrika 26, 1934; quantiles as E. B. Wilson and M. M. Hilferty, 1931
sample_bounds bounds_of_sample(double estimate, const sample_spread& spread) noexcept;

/// "allocation" …; a stable word for reports.
const char* to_string(event_kind kind) noexcept;
/// "malloc", "operator new[]" …; for an aligned allocation or none a word of ours.
const char* to_string(allocation_call call) noexcept;

/// How many events of each kind there are.
struct trace_counts {
    static constexpr std::size_t kinds = 5;
    static constexpr std::size_t calls = 12;

    std::uint64_t events = 0;
    std::array<std::uint64_t, kinds> of_kind{};
    std::array<std::array<std::uint64_t, calls>, kinds> of_call{}; ///< of each kind
    std::uint64_t bytes = 0; ///< asked for by allocations and reallocations

    /// Of a sampled trace: what the blocks in it stand for.
    double estimated_allocations = 0;
    double estimated_bytes = 0;
    sample_spread spread;

    void take(std::span<const event> events, const sample_weight& weight = {});
};

} // namespace linn::tool
