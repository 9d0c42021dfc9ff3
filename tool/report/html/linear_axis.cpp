// SPDX-License-Identifier: Apache-2.0
#include "linear_axis.hpp"

#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace linn::tool::html {
namespace {

using unit = std::pair<double, const char*>;

/// The largest unit that leaves a digit before the point.
template <std::size_t N>
unit unit_of(double value, const std::array<unit, N>& largest_first) {
    for (const unit& u : largest_first)
        if (value >= u.first)
            return u;
    return largest_first.back();
}

unit unit_of(quantity what, double high) {
    static constexpr std::array<unit, 5> sizes{{{1099511627776.0, " TiB"},
                                                {1073741824.0, " GiB"},
                                                {1048576.0, " MiB"},
                                                {1024.0, " KiB"},
                                                {1, " B"}}};
    static constexpr std::array<unit, 4> times{{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {1, " ns"}}};
    static constexpr std::array<unit, 4> counts{{{1e9, " G"}, {1e6, " M"}, {1e4, " k"}, {1, ""}}};
    switch (what) {
    case quantity::bytes:
        return unit_of(high, sizes);
    case quantity::nanoseconds:
        return unit_of(high, times);
    case quantity::count: {
        const unit u = unit_of(high, counts);
        return {u.first == 1e4 ? 1e3 : u.first, u.second};
    }
    case quantity::share:
        break;
    }
    return {0.01, " %"};
}

} // namespace

std::string text_of(quantity what, double value) {
    switch (what) {
    case quantity::bytes:
        return bytes_text(value);
    case quantity::nanoseconds:
        return duration_text(value);
    case quantity::share:
        return percent_text(value);
    case quantity::count:
        break;
    }
    return count_text(value);
}

std::string range_text(quantity what, double low, double high) {
    const std::string from = text_of(what, low);
    const std::string to = text_of(what, high);
    if (from == to)
        return to;
    const std::size_t space = from.rfind(' '); // thousands are set apart by another one
    const bool is_same = space != std::string::npos && to.ends_with(from.substr(space));
    const std::string begin = is_same ? from.substr(0, space) : from;
    return low < 0 ? fmt::format("−{} to {}", begin.substr(1), to) : fmt::format("{} – {}", begin, to);
}

linear_axis::linear_axis(quantity what, double high) noexcept
    : what_{what},
      high_{std::isfinite(high) && high > 0 ? high : 1} {}

double linear_axis::place(double value) const noexcept {
    return value > 0 ? std::clamp(value / high_, 0.0, 1.0) : 0;
}

double linear_axis::step(std::size_t most) const {
    const double wanted = high_ / static_cast<double>(most - 1);
    if (what_ == quantity::bytes)
        return std::max(1.0, std::exp2(std::ceil(std::log2(wanted))));
    const double least = what_ == quantity::count ? 1 : 0;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= wanted * (1 - 1e-9))
            return std::max(least, digit * power);
    return std::max(least, 10 * power);
}

std::vector<tick> linear_axis::ticks(std::size_t most) const {
    const double wide = step(most);
    const unit u = unit_of(what_, high_);
    std::vector<tick> list;
    for (double i = 0; i * wide <= high_ * (1 + 1e-9); ++i) {
        const double value = i * wide;
        list.push_back({value, value == 0 && what_ != quantity::share
                                   ? "0"
                                   : fmt::format("{:.6g}{}", value / u.first, u.second)});
    }
    return list;
}

} // namespace linn::tool::html
