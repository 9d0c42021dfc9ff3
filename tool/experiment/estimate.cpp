// SPDX-License-Identifier: Apache-2.0
#include "estimate.hpp"

#include "../measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool {

std::uint64_t resampling_seed(std::uint64_t seed, std::string_view contender, std::string_view metric) {
    std::uint64_t hash = 14'695'981'039'346'656'037u ^ seed; // Fowler, Noll and Vo
    for (const std::string_view text : {contender, metric}) {
        for (const char c : text) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
        }
    }
    return hash;
}

paired_estimate estimate_median(std::span<const double> values, const interval_options& options) {
    const interval middle = bootstrap_median(values, options.level, options.seed, options.resamples);
    paired_estimate e;
    e.median = middle.middle;
    e.low = middle.low;
    e.high = middle.high;
    return e;
}

void estimate_ratio(paired_estimate& e, std::span<const double> log_ratios, const interval_options& options) {
    const interval ratio = bootstrap_median(log_ratios, options.level, options.seed + 1, options.resamples);
    e.ratio = std::exp(ratio.middle);
    e.ratio_low = std::exp(ratio.low);
    e.ratio_high = std::exp(ratio.high);
}

double distance(double ratio) {
    return std::exp(std::abs(std::log(ratio))) - 1;
}

double noise_floor_of(const paired_estimate& control) {
    return std::max(distance(control.ratio_low), distance(control.ratio_high));
}

bool exceeds_noise(const paired_estimate& e, double floor) {
    return (e.ratio_low > 1 || e.ratio_high < 1) && distance(e.ratio) > floor;
}

} // namespace linn::tool
