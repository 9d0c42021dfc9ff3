// SPDX-License-Identifier: Apache-2.0
#include "bench_rows.hpp"

#include "../../measure/sort_stably.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace linn::tool::html {
namespace {

void sort_by_ratio(const bench_result& result, const scenario_result& s, std::vector<const row*>& rows) {
    std::vector<std::pair<double, const row*>> keyed;
    for (const row* r : rows)
        keyed.emplace_back(ratio_to_baseline(result, s, *r), r);
    sort_stably(keyed, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(keyed.begin(), keyed.end(), rows.begin(), [](const auto& entry) { return entry.second; });
}

} // namespace

std::vector<row_group> group_rows(const bench_result& result, const scenario_result& s) {
    std::vector<row_group> groups;
    row_group own; // ways that bring a pool of their own, or everything
    if (s.what->has_variants())
        own.heading = "with a pool of their own";
    for (std::size_t v = 0; v != s.what->variants.size(); ++v)
        if (s.what->variants[v].contender.empty())
            groups.push_back(
                {std::string{s.what->variants[v].title}, std::string{s.what->variants[v].note}, {}, v});
    for (const row& r : s.rows) {
        if (r.samples.empty())
            continue;
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const row_group& g) {
            return s.what->has_variants() && g.variant == r.variant;
        });
        (group == groups.end() ? own : *group).rows.push_back(&r);
    }
    groups.push_back(std::move(own));
    std::erase_if(groups, [](const row_group& g) { return g.rows.empty(); });
    for (row_group& g : groups)
        sort_by_ratio(result, s, g.rows);
    return groups;
}

std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r) {
    if (!s.what->has_variants() || g.variant)
        return result.contenders[r.contender].title;
    return std::string{s.what->variants[r.variant].title};
}

emphasis style_of(const bench_result& result, const row& r) {
    const std::string& name = result.contenders[r.contender].name;
    return name == linn_name ? emphasis::ours : name == control_name ? emphasis::muted : emphasis::none;
}

double reference_cycles(const bench_result& result, const scenario_result& s, std::size_t phase) {
    const row* baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    return baseline != nullptr && baseline->has(phase) ? median(baseline->cycles(phase)) : 0;
}

std::vector<double> present_cycles(const row& r, std::size_t phase) {
    return r.has(phase) ? r.cycles(phase) : std::vector<double>{};
}

interval median_interval(const std::vector<double>& cycles) {
    constexpr std::size_t resamples = 2000; // hundreds of rows, and a third digit nobody can see in a plot
    return bootstrap_median(cycles, 0.95, 1, resamples);
}

} // namespace linn::tool::html
