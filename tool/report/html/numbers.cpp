// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace linn::tool::html {
namespace {

constexpr std::string_view narrow_space = "\u202F";

/// Sets the digits before the point apart in threes; four of them stay together.
std::string grouped(std::string digits) {
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    const std::size_t whole = std::min(digits.find('.'), digits.size()) - sign;
    if (whole > 4)
        for (std::size_t i = whole; i > 3; i -= 3)
            digits.insert(sign + i - 3, narrow_space);
    return digits;
}

struct unit {
    double size;
    std::string_view name;
};

template <std::size_t N>
std::string in_unit(double value, const std::array<unit, N>& largest_first) {
    for (const unit& u : largest_first)
        // 999.6 of the next smaller one would be written as 1000.
        if (std::abs(value) >= u.size * 0.9995)
            return fmt::format("{} {}", figure_text(value / u.size), u.name);
    return fmt::format("{} {}", figure_text(value / largest_first.back().size), largest_first.back().name);
}

} // namespace

std::string figure_text(double value) {
    if (!std::isfinite(value))
        return "–";
    const double size = std::abs(value);
    if (size < 0.00005)
        return "0";
    // What would round up to the next power of ten has a digit less after the point.
    const int magnitude = static_cast<int>(std::floor(std::log10(size * 1.0005)));
    return grouped(fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, 6)));
}

std::string count_text(double value) {
    return std::isfinite(value) ? grouped(fmt::format("{:.0f}", value)) : "–";
}

std::string ratio_text(double value) {
    if (!std::isfinite(value) || value <= 0)
        return "–";
    if (value >= 0.1)
        return value < 10 ? fmt::format("{:.2f}", value) : figure_text(value);
    // Two digits that count: there is no room for more beside a plot.
    return fmt::format("{:.{}f}", value, std::min(1 - static_cast<int>(std::floor(std::log10(value))), 6));
}

std::string close_ratio_text(double value) {
    return value > 0 && value < 10 ? fmt::format("{:.3f}", value) : ratio_text(value);
}

std::string percent_text(double share) {
    if (!std::isfinite(share))
        return "–";
    return fmt::format("{:.{}f} %", share * 100, std::abs(share) < 0.0995 ? 1 : 0);
}

std::string bytes_text(double bytes) {
    static constexpr std::array<unit, 4> units{
        {{1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024.0, "KiB"}, {1, "B"}}};
    return in_unit(bytes, units);
}

std::string duration_text(double ns) {
    static constexpr std::array<unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
    return in_unit(ns, units);
}

std::string coordinate(double value) {
    std::string digits = fmt::format("{:.2f}", value);
    while (digits.ends_with('0'))
        digits.pop_back();
    if (digits.ends_with('.'))
        digits.pop_back();
    return digits == "-0" ? "0" : digits;
}

} // namespace linn::tool::html
