// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace linn::tool {

double median(std::span<const double> values) {
    if (values.empty()) {
        return 0;
    }
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (sorted.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(sorted.begin(), middle)) / 2;
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
