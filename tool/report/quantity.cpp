// SPDX-License-Identifier: Apache-2.0
#include "quantity.hpp"

#include "../measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace linn::tool {
namespace {

struct scale {
    double from;
    double divisor;
    const char* unit;
};

constexpr std::array ns_scales{scale{1e9, 1e9, " s"}, scale{1e6, 1e6, " ms"}, scale{1e3, 1e3, " us"},
                               scale{0, 1, " ns"}};
constexpr std::array byte_scales{scale{1 << 30, 1 << 30, " GiB"}, scale{1 << 20, 1 << 20, " MiB"},
                                 scale{1 << 10, 1 << 10, " KiB"}, scale{0, 1, " B"}};
constexpr std::array plain_scales{scale{0, 1, ""}};

} // namespace

std::string quantity_text(double value, std::string_view unit) {
    const std::span<const scale> scales = unit == "ns"      ? std::span<const scale>{ns_scales}
                                          : unit == "bytes" ? std::span<const scale>{byte_scales}
                                                            : std::span<const scale>{plain_scales};
    const scale& s =
        *std::find_if(scales.begin(), scales.end() - 1, [&](const scale& x) { return value >= x.from; });
    const double shown = value / s.divisor;
    const int digits = shown > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(shown))), 0, 4) : 0;
    return fmt::format("{:.{}f}{}", shown, digits, s.unit);
}

std::string ratio_text(double ratio) {
    return ratio < 9.995 ? fmt::format("{:.3f}", ratio) : fmt::format("{:.1f}", ratio);
}

std::string ratio_bounds(double low, double high) {
    return are_bounds(low, high) ? fmt::format("{}-{}", ratio_text(low), ratio_text(high)) : std::string{};
}

std::string level_text(double level) {
    return fmt::format("{:g} %", level * 100);
}

std::string signed_percent(double share) {
    if (std::isnan(share))
        return {};
    return fmt::format("{:+.1f} %", share * 100);
}

} // namespace linn::tool
