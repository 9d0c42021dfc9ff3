// SPDX-License-Identifier: Apache-2.0
#include "compare_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

/// Four significant digits, in the unit that suits.
std::string value_text(double value, const std::string& unit) {
    const std::span<const scale> scales = unit == "ns"      ? std::span<const scale>{ns_scales}
                                          : unit == "bytes" ? std::span<const scale>{byte_scales}
                                                            : std::span<const scale>{plain_scales};
    const scale& s =
        *std::find_if(scales.begin(), scales.end() - 1, [&](const scale& x) { return value >= x.from; });
    const double shown = value / s.divisor;
    const int digits = shown > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(shown))), 0, 4) : 0;
    return fmt::format("{:.{}f}{}", shown, digits, s.unit);
}

std::string percent(double share) {
    return fmt::format("{:+.1f} %", share * 100);
}

} // namespace

change_cells cells_of(const series_change& c) {
    const bool is_finite = std::isfinite(c.change.middle);
    return {describe(c.name),
            value_text(c.old_median, c.unit),
            value_text(c.new_median, c.unit),
            is_finite ? percent(c.change.middle) : "from 0",
            is_finite ? fmt::format("{} to {}", percent(c.change.low), percent(c.change.high)) : "",
            c.p_adjusted < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", c.p_adjusted)};
}

std::vector<const series_change*> sorted_changes(const file_comparison& result, change_kind kind) {
    std::vector<const series_change*> list;
    for (const series_change& c : result.series)
        if (c.kind == kind)
            list.push_back(&c);
    std::stable_sort(list.begin(), list.end(), [](const series_change* a, const series_change* b) {
        return std::abs(a->change.middle) > std::abs(b->change.middle);
    });
    return list;
}

std::string method_line(const file_comparison& r) {
    return fmt::format(
        "Compared: {}, old {} and new {}. A change is reported when it is larger than {:g} % and than the "
        "noise floor of both files, and significant at {:g} % over all rows together.",
        r.options.by == compare_by::ratio
            ? fmt::format("ratios to {} of the same file", r.old_file.reference())
            : "values",
        r.old_file.path, r.new_file.path, r.options.threshold * 100, r.options.level * 100);
}

std::string name_list(const std::vector<series_name>& names) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i != std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : "; ") + describe(names[i]);
    return names.size() <= most ? text : fmt::format("{}; and {} more", text, names.size() - most);
}

} // namespace linn::tool
