// SPDX-License-Identifier: Apache-2.0
#include "linear_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace linn::tool::html {
namespace {

using multiple = std::pair<double, const char*>;

/// The largest unit that leaves a digit before the point.
template <std::size_t N>
multiple multiple_of(double value, const std::array<multiple, N>& largest_first) {
    for (const multiple& u : largest_first) {
        if (value >= u.first) {
            return u;
        }
    }
    return largest_first.back();
}

multiple multiple_of(unit what, double high) {
    static constexpr std::array<multiple, 5> sizes{{{1099511627776.0, " TiB"},
                                                    {1073741824.0, " GiB"},
                                                    {1048576.0, " MiB"},
                                                    {1024.0, " KiB"},
                                                    {1, " B"}}};
    static constexpr std::array<multiple, 4> times{{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {1, " ns"}}};
    static constexpr std::array<multiple, 4> counts{{{1e9, " G"}, {1e6, " M"}, {1e4, " k"}, {1, ""}}};
    switch (what) {
    case unit::bytes:
        return multiple_of(high, sizes);
    case unit::nanoseconds:
        return multiple_of(high, times);
    case unit::count: {
        const multiple u = multiple_of(high, counts);
        return {u.first == 1e4 ? 1e3 : u.first, u.second};
    }
    default:
        break;
    }
    return {0.01, " %"};
}

} // namespace

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
    const multiple u = multiple_of(what_, high_);
    std::vector<tick> list;
    for (double i = 0; i * wide <= high_ * (1 + 1e-9); ++i) {
        const double value = i * wide;
        list.push_back({value, value == 0 && what_ != unit::share
                                   ? "0"
                                   : fmt::format("{:.6g}{}", value / u.first, u.second)});
    }
    return list;
}

} // namespace linn::tool::html
