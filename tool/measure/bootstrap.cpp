// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// The share to cut off at each end of the bootstrap distribution. The plain percentile interval is too narrow for few
/// values: of a mean it forgets the factor n/(n-1) and Student's t. Applying both to the percentile is the "expanded
/// percentile interval". Simulated coverage of the true median at 95 % for 5 to 30 values: plain percentile and BCa alike
/// 87 to 95 %, this one 93 to 94 % at 5 values, where not even the whole range holds more, and 94 to 99 % from 6 on
/// (tests/tool/unit/bootstrap.cpp repeats it). BCa is no
/// better for a median, because the jackknife that its acceleration needs is not consistent there.
/// @source Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015, section 5.3
double tail(double level, std::size_t values) {
    namespace math = boost::math;
    const double n = static_cast<double>(values);
    const double t = math::quantile(math::students_t{n - 1}, (1 - level) / 2);
    return math::cdf(math::normal{}, t * std::sqrt(n / (n - 1)));
}

/// The median of one sample of `sorted` drawn with replacement: how often each value was drawn, walked to the middle.
class resampler {
public:
    resampler(std::vector<double> sorted, std::uint64_t seed)
        : sorted_{std::move(sorted)},
          times_drawn_(sorted_.size()),
          random_{seed} {}

    double operator()() {
        const std::size_t n = sorted_.size();
        std::fill(times_drawn_.begin(), times_drawn_.end(), 0U);
        // The upper half times n, shifted: a division less than the remainder, with a bias below n / 2^32.
        for (std::size_t i = 0; i != n; ++i) {
            ++times_drawn_[static_cast<std::size_t>(((random_() >> 32) * n) >> 32)];
        }
        std::size_t place = 0;
        std::size_t below = times_drawn_[0]; // draws at or below `place`
        const auto advance_to = [&](std::size_t rank) {
            while (below <= rank) {
                below += times_drawn_[++place];
            }
            return sorted_[place];
        };
        if (n % 2 == 1) {
            return advance_to(n / 2);
        }
        const double lower = advance_to(n / 2 - 1);
        return (lower + advance_to(n / 2)) / 2;
    }

private:
    std::vector<double> sorted_;
    std::vector<std::size_t> times_drawn_;
    std::mt19937_64 random_; // the standard fixes its numbers, but not those of the distributions over it
};

/// The interval of `middle` that the estimates from resamples give, for samples of at least `values` values.
interval percentiles(double middle, std::vector<double> estimates, double level, std::size_t values) {
    std::sort(estimates.begin(), estimates.end());
    const std::size_t last = estimates.size() - 1;
    // Rounded outwards, so that few resamples never make the interval narrower.
    const auto cut = static_cast<std::size_t>(tail(level, values) * static_cast<double>(last));
    return {middle, estimates[cut], estimates[last - cut]};
}

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

} // namespace

interval bootstrap_median(std::span<const double> values, double level, std::uint64_t seed,
                          std::size_t resamples) {
    const double middle = median(values);
    if (values.size() < rounds_to_judge) {
        return {middle, unknown_bound, unknown_bound};
    }
    resampler draw{sorted(values), seed};
    std::vector<double> medians(resamples);
    std::generate(medians.begin(), medians.end(), std::ref(draw));
    return percentiles(middle, std::move(medians), level, values.size());
}

interval bootstrap_ratio(std::span<const double> values, std::span<const double> reference, double level,
                         std::uint64_t seed, std::size_t resamples) {
    const double middle = median(values) / median(reference);
    const std::size_t fewer = std::min(values.size(), reference.size());
    if (fewer < rounds_to_judge) {
        return {middle, unknown_bound, unknown_bound};
    }
    resampler draw{sorted(values), seed};
    resampler draw_reference{sorted(reference), seed + 1};
    std::vector<double> ratios(resamples);
    std::generate(ratios.begin(), ratios.end(), [&] { return draw() / draw_reference(); });
    return percentiles(middle, std::move(ratios), level, fewer);
}

} // namespace linn::tool
