// SPDX-License-Identifier: Apache-2.0
#include "estimate.hpp"

#include "../measure/quantity.hpp"
#include "../measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {

paired_estimate estimate_median(std::span<const double> values, double level) {
    const interval middle = median_interval(values, level);
    paired_estimate e;
    e.median = middle.middle;
    e.low = middle.low;
    e.high = middle.high;
    return e;
}

void estimate_ratio(paired_estimate& e, std::span<const double> log_ratios, double level) {
    const interval ratio = median_interval(log_ratios, level);
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

namespace {

/// The seconds that the rounds needed take, by the time of those done, with room for one more; in tens from 20 on. 0: not
/// known.
double seconds_needed(const too_few_rounds& rounds) {
    if (rounds.done == 0 || rounds.seconds <= 0) {
        return 0;
    }
    const double seconds = rounds.besides + rounds.seconds / static_cast<double>(rounds.done) *
                                                static_cast<double>(rounds.needed + 1);
    return seconds < 20 ? std::ceil(seconds) : std::ceil(seconds / 10) * 10;
}

std::string shortage_of(const too_few_rounds& rounds, std::string_view purpose) {
    return fmt::format("{} too few {} ({} needed)", figures::counted(rounds.done, "round is", "rounds are"),
                       purpose, rounds.needed);
}

} // namespace

std::string text_of(const too_few_rounds& rounds, std::string_view purpose) {
    std::string text = shortage_of(rounds, purpose);
    if (rounds.why == stop_reason::interrupted) {
        return text + ": it was stopped";
    }
    const double seconds = seconds_needed(rounds);
    if (rounds.why == stop_reason::budget) {
        text += seconds > 0 ? ": use --budget " + figures::written(figures::unit::count, seconds)
                            : ": use a larger --budget";
    } else {
        text += fmt::format(": use --rounds {}{}", rounds.needed,
                            seconds > 0 ? fmt::format(" (about {})", figures::seconds_text(seconds)) : "");
    }
    return rounds.others.empty() ? text : fmt::format("{} or {}", text, rounds.others);
}

} // namespace linn::tool
