// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace linn::tool {

namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double middle_of(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size();
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

} // namespace

double median(std::span<const double> values) {
    return middle_of(sorted(values));
}

interval median_interval(std::span<const double> values, double level) {
    const std::vector<double> x = sorted(values);
    const std::size_t n = x.size();
    interval i{middle_of(x), unknown_bound, unknown_bound};
    if (n < rounds_to_judge) {
        return i;
    }
    // How often the median lies between x[k] and x[n - 1 - k]: as often as more than k of n lie on each side of it.
    const boost::math::binomial halves{static_cast<double>(n), 0.5};
    const auto held = [&](std::size_t k) { return 1 - 2 * cdf(halves, static_cast<double>(k)); };
    std::size_t k = 0;
    double outer = held(0);
    if (outer < level) {
        return i;
    }
    double inner = held(1);
    while (inner >= level) {
        outer = inner;
        inner = held(++k + 1);
    }
    const double share = (outer - level) / (outer - inner);
    const double rank = static_cast<double>(k + 1);
    const double all = static_cast<double>(n);
    const double inwards = (all - rank) * share / (rank + (all - 2 * rank) * share);
    i.low = std::lerp(x[k], x[k + 1], inwards);
    i.high = std::lerp(x[n - 1 - k], x[n - 2 - k], inwards);
    return i;
}

interval ratio_of_medians(std::span<const double> values, std::span<const double> reference, double level) {
    const interval a = median_interval(values, level);
    const interval b = median_interval(reference, level);
    const double middle = a.middle / b.middle;
    if (a.middle == 0) { // has no logarithm
        return {0, a.low / b.high, a.high / b.low};
    }
    const double down = std::hypot(std::log(a.middle / a.low), std::log(b.high / b.middle));
    const double up = std::hypot(std::log(a.high / a.middle), std::log(b.middle / b.low));
    return {middle, middle * std::exp(-down), middle * std::exp(up)};
}

double minimum(std::span<const double> values) {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double relative_median_error(std::span<const double> values) {
    const double middle = median(values);
    if (values.size() < 2 || middle == 0) {
        return 0;
    }
    std::vector<double> deviations;
    for (const double v : values) {
        deviations.push_back(std::abs(v - middle));
    }
    constexpr double deviation_to_sigma = 1.4826; // of a normal distribution
    constexpr double sigma_to_error = 1.2533;     // square root of pi / 2
    return deviation_to_sigma * sigma_to_error * median(deviations) /
           std::sqrt(static_cast<double>(values.size())) / middle;
}

double geometric_mean(std::span<const double> values) {
    if (values.empty()) {
        return 0;
    }
    double sum = 0;
    for (const double v : values) {
        sum += std::log(v);
    }
    return std::exp(sum / static_cast<double>(values.size()));
}

double relative_gap(double a, double b) {
    const double low = std::min(a, b);
    return low <= 0 ? 0 : std::max(a, b) / low - 1;
}

} // namespace linn::tool
