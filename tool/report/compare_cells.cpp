// SPDX-License-Identifier: Apache-2.0
#include "compare_cells.hpp"

#include "../measure/sort_stably.hpp"
#include "quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {

change_cells cells_of(const series_change& c) {
    const bool is_finite = std::isfinite(c.change.middle);
    return {describe(c.name),
            quantity_text(c.old_median, c.unit),
            quantity_text(c.new_median, c.unit),
            is_finite ? signed_percent(c.change.middle) : "from 0",
            is_finite && c.change.is_known()
                ? fmt::format("{} to {}", signed_percent(c.change.low), signed_percent(c.change.high))
                : "",
            c.p_adjusted < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", c.p_adjusted)};
}

std::vector<const series_change*> sorted_changes(const file_comparison& result, change_kind kind) {
    std::vector<const series_change*> list;
    for (const series_change& c : result.series)
        if (c.kind == kind)
            list.push_back(&c);
    sort_stably(list, [](const series_change* a, const series_change* b) {
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
