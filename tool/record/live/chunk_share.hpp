// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace linn::tool::live {

/// Which chunks have their allocations counted by stack: all up to a rate of events, beyond it one in so many that those are not more
/// events than that rate. Of each so many chunks of a thread in a row one is counted, whichever a hash picks: so the choice knows
/// nothing of what is in them, and a sum over them, times so many, is an unbiased estimate.
class chunk_share {
public:
    /// `counted`: events a second that are all counted.
    explicit chunk_share(double counted) noexcept : counted_(counted) {}

    /// A chunk stands for so many; 0: it is not counted.
    std::uint64_t weight_of(std::uint32_t stream, std::uint32_t sequence) const noexcept {
        const std::uint64_t group = std::uint64_t{stream} << 32 | sequence >> shift_;
        const std::uint64_t hash = (group + 1) * 0xd134'2543'de82'ef95u;
        const std::uint64_t mask = one_in() - 1;
        return ((hash ^ hash >> 32) & mask) == (sequence & mask) ? one_in() : 0;
    }

    /// A counted chunk that stands for `weight` had so many allocations.
    void note(std::uint64_t weight, std::uint64_t allocations) noexcept {
        const auto a = static_cast<double>(allocations);
        const auto w = static_cast<double>(weight);
        if (weight != 0) {
            sum_ += w * a;
            // As of independent choices: n chunks of a each, one in w of them counted.
            variance_ += w * (w - 1) * a * a;
        }
    }

    /// The program wrote so many events in so many seconds since the last call.
    void tell_rate(double events, double seconds) noexcept {
        error_ = sum_ > 0 ? 2 * std::sqrt(variance_) / sum_ : 0;
        sum_ = variance_ = 0;
        const double rate = events / std::max(seconds, 1e-3);
        const auto wanted = static_cast<unsigned>(
            std::bit_width(static_cast<std::uint64_t>(std::clamp(std::ceil(rate / counted_), 1.0, 1e6)) - 1));
        // Back to more only once it surely stays below the rate.
        if (wanted > shift_ || rate * 1.5 < counted_ * std::exp2(shift_ - 1.0)) {
            shift_ = wanted;
        }
    }

    std::uint64_t one_in() const noexcept { return std::uint64_t{1} << shift_; }
    /// Two standard errors of the number of allocations between the last two calls of tell_rate(), as a share of it. 0: it is exact.
    double error() const noexcept { return error_; }

private:
    double counted_;
    double sum_ = 0;
    double variance_ = 0;
    double error_ = 0;
    unsigned shift_ = 0;
};

} // namespace linn::tool::live
