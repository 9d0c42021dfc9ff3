// SPDX-License-Identifier: Apache-2.0
#include "cost.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

constexpr double fill_slow = 4; // bytes a nanosecond
constexpr double fill_fast = 40;

bool is_tiny(double share) {
    return share > 0 && share < 0.001;
}

} // namespace

gain_range estimated_fill_cost(const site_statistics& s, double program_cpu_ns) {
    if (program_cpu_ns <= 0) {
        return {};
    }
    const auto bytes = static_cast<double>(s.filled_bytes);
    const double least = std::min(1.0, bytes / fill_fast / program_cpu_ns);
    if (s.fill_ns == 0) { // a clock that says nothing
        return {least, std::min(1.0, bytes / fill_slow / program_cpu_ns)};
    }
    const double measured = std::min(1.0, static_cast<double>(s.fill_ns) / program_cpu_ns);
    return {std::min(least, measured), measured};
}

std::string share_text(double share) {
    return is_tiny(share) ? "less than 0.1 %" : figures::percent(share);
}

std::string at_most_text(double share) {
    return is_tiny(share) ? share_text(share) : "at most " + share_text(std::max(0.0, share));
}

std::string gain_text(const gain_range& gain) {
    constexpr double half_a_digit = 0.0005;
    if (gain.high > 0 && gain.high < half_a_digit && gain.low > -half_a_digit) {
        return "less than 0.1 %";
    }
    return figures::bounds_of(figures::unit::share, gain.low, gain.high).text(figures::lettering::prose);
}

} // namespace linn::tool
