// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include "../measure/statistics.hpp"

#include <algorithm>
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

bool row::has(std::size_t phase) const {
    return std::any_of(samples.begin(), samples.end(), [&](const sample& s) { return s.cycles[phase] != 0; });
}

std::optional<double> row::metric(std::size_t phase, std::string_view name) const {
    std::vector<double> values;
    for (const sample& s : samples)
        if (phase < s.metrics.size())
            if (const auto found = s.metrics[phase].find(std::string{name}); found != s.metrics[phase].end())
                values.push_back(found->second);
    return values.empty() ? std::nullopt : std::optional{median(values)};
}

std::string_view scenario_result::variant_of(const row& r) const noexcept {
    return what->has_variants() ? what->variants[r.variant].name : std::string_view{};
}

const row* scenario_result::find(const std::vector<contender>& contenders, std::string_view name,
                                 std::string_view variant) const {
    for (const row& r : rows)
        if (contenders[r.contender].name == name && variant_of(r) == variant)
            return &r;
    return nullptr;
}

std::string bench_result::title_of(const scenario_result& s, const row& r) const {
    const std::string& own = contenders[r.contender].title;
    if (!s.what->has_variants())
        return own;
    const variant_info& v = s.what->variants[r.variant];
    return v.contender.empty() ? std::string{v.title} + " on " + own : std::string{v.title};
}

std::optional<double> noise_floor(const bench_result& result, const scenario_result& s, std::size_t phase) {
    const row* a = s.find(result.contenders, baseline_name, s.what->baseline);
    const row* b = s.find(result.contenders, control_name, s.what->baseline);
    if (a == nullptr || b == nullptr)
        return std::nullopt;
    return relative_gap(median(a->cycles(phase)), median(b->cycles(phase)));
}

double ratio_to_baseline(const bench_result& result, const scenario_result& s, const row& r) {
    const row* baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    if (baseline == nullptr)
        return 0;
    std::vector<double> ratios;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        if (r.has(p) && baseline->has(p))
            ratios.push_back(median(r.cycles(p)) / median(baseline->cycles(p)));
    return geometric_mean(ratios);
}

namespace {

/// One row against the fastest of those that `is_rival` accepts.
template <class IsRival>
std::optional<comparison> compare_row(const scenario_result& s, const row* own_row, std::size_t phase,
                                      const IsRival& is_rival) {
    if (own_row == nullptr || !own_row->has(phase))
        return std::nullopt;
    const row* best = nullptr;
    double best_median = 0;
    for (const row& r : s.rows) {
        const double m = median(r.cycles(phase));
        if (&r != own_row && is_rival(r) && r.has(phase) && (best == nullptr || m < best_median)) {
            best = &r;
            best_median = m;
        }
    }
    if (best == nullptr)
        return std::nullopt;
    return compare_rows(*own_row, *best, phase);
}

} // namespace

comparison compare_rows(const row& ours, const row& other, std::size_t phase) {
    const std::vector<double> own = ours.cycles(phase);
    const std::vector<double> theirs = other.cycles(phase);
    const std::size_t rounds = std::min(own.size(), theirs.size());
    const double error = std::hypot(relative_median_error(own), relative_median_error(theirs));
    return {&other, median(theirs) / median(own), rounds < rounds_to_judge ? unknown_bound : 2 * error,
            rounds};
}

std::optional<comparison> compare_linn(const bench_result& result, const scenario_result& s,
                                       std::size_t phase) {
    return compare_row(s, s.find(result.contenders, linn_name), phase, [](const row&) { return true; });
}

std::optional<comparison> compare(const bench_result& result, const scenario_result& s,
                                  const comparison_info& c, std::size_t phase) {
    // The control is the baseline once more; as a rival it would only win by luck.
    return compare_row(s, s.find(result.contenders, linn_name, c.ours), phase, [&](const row& r) {
        return result.contenders[r.contender].name != control_name &&
               std::find(c.rivals.begin(), c.rivals.end(), s.variant_of(r)) != c.rivals.end();
    });
}

} // namespace linn::tool
