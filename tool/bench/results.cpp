// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include "statistics.hpp"

#include <cmath>

namespace linn::tool {

std::vector<double> row::cycles(std::size_t phase) const {
    std::vector<double> values;
    for (const sample& s : samples)
        values.push_back(s.cycles[phase]);
    return values;
}

std::vector<double> row::faults(std::size_t phase) const {
    std::vector<double> values;
    for (const sample& s : samples)
        values.push_back(s.faults[phase]);
    return values;
}

double row::peak_rss_bytes() const {
    std::vector<double> values;
    for (const sample& s : samples)
        values.push_back(static_cast<double>(s.peak_rss_bytes));
    return median(values);
}

const row* scenario_result::find(const std::vector<contender>& contenders, std::string_view name) const {
    for (const row& r : rows)
        if (contenders[r.contender].name == name)
            return &r;
    return nullptr;
}

std::optional<double> noise_floor(const bench_result& result, const scenario_result& s, std::size_t phase) {
    const row* a = s.find(result.contenders, baseline_name);
    const row* b = s.find(result.contenders, control_name);
    if (a == nullptr || b == nullptr)
        return std::nullopt;
    return relative_gap(median(a->cycles(phase)), median(b->cycles(phase)));
}

double ratio_to_baseline(const bench_result& result, const scenario_result& s, const row& r) {
    const row* baseline = s.find(result.contenders, baseline_name);
    if (baseline == nullptr)
        return 0;
    std::vector<double> ratios;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        ratios.push_back(median(r.cycles(p)) / median(baseline->cycles(p)));
    return geometric_mean(ratios);
}

std::optional<comparison> compare_linn(const bench_result& result, const scenario_result& s,
                                       std::size_t phase) {
    const row* linn = s.find(result.contenders, linn_name);
    if (linn == nullptr)
        return std::nullopt;
    const row* best = nullptr;
    double best_median = 0;
    for (const row& r : s.rows) {
        const double m = median(r.cycles(phase));
        if (&r != linn && (best == nullptr || m < best_median)) {
            best = &r;
            best_median = m;
        }
    }
    if (best == nullptr)
        return std::nullopt;
    const std::vector<double> own = linn->cycles(phase);
    const double error = std::hypot(relative_median_error(own), relative_median_error(best->cycles(phase)));
    return comparison{best->contender, best_median / median(own), 2 * error};
}

} // namespace linn::tool
