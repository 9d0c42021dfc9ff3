// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace linn::tool::testing {

/// Standard normal by Box and Muller: the distributions of <random> differ between standard libraries.
class noise_source {
public:
    explicit noise_source(std::uint64_t seed) : random_{seed} {}

    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

private:
    std::mt19937_64 random_;
};

/// A machine that gets slower as it warms up, remembers its last state, and is interrupted now and then: what one run
/// costs beyond its own cost, as a logarithm.
class machine {
public:
    machine(std::uint64_t seed, double sigma, double outliers)
        : noise_{seed},
          sigma_{sigma},
          outliers_{outliers},
          drift_{0.002 * noise_.normal()} {}

    double next() {
        ++runs_;
        slow_state_ = 0.8 * slow_state_ + 0.6 * noise_.normal(); // variance 1, correlation 0.8
        double x = sigma_ * (0.7 * noise_.normal() + 0.7 * slow_state_) +
                   drift_ * static_cast<double>(runs_) * sigma_;
        if (noise_.uniform() < outliers_) {
            x += sigma_ * 3 / std::sqrt(noise_.uniform()); // an outlier with a heavy tail
        }
        return x;
    }

private:
    noise_source noise_;
    double sigma_;
    double outliers_;
    double drift_;
    double slow_state_ = 0;
    std::size_t runs_ = 0;
};

} // namespace linn::tool::testing
