// SPDX-License-Identifier: Apache-2.0
#include "linear_axis.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool::html {
linear_axis::linear_axis(unit what, double high) noexcept
    : what_{what},
      high_{std::isfinite(high) && high > 0 ? high : 1} {}

double linear_axis::place(double value) const noexcept {
    return value > 0 ? std::clamp(value / high_, 0.0, 1.0) : 0;
}

double linear_axis::step(std::size_t most) const {
    const double wanted = high_ / static_cast<double>(most - 1);
    if (what_ == unit::bytes) {
        return std::max(1.0, std::exp2(std::ceil(std::log2(wanted))));
    }
    const double least = what_ == unit::count ? 1 : 0;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= wanted * (1 - 1e-9)) {
            return std::max(least, digit * power);
        }
    }
    return std::max(least, 10 * power);
}

std::vector<tick> linear_axis::ticks(std::size_t most) const {
    const double wide = step(most);
    std::vector<tick> list;
    for (double i = 0; i * wide <= high_ * (1 + 1e-9); ++i) {
        const double value = i * wide;
        list.push_back({value, figures::mark_text(what_, value, high_)});
    }
    return list;
}

} // namespace linn::tool::html
