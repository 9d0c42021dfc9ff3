// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include "../measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace linn::tool {
namespace {

/// What is compared is a ratio, so a count of nothing needs a value to divide by.
double positive(const metric_info& m, double value) {
    return m.unit == metric_info::unit::count ? value + 1 : std::max(value, 1.0);
}

/// The logarithms of the ratios to the default, of the rounds in which both ran.
std::vector<double> log_ratios(const run_row& row, const run_row& base, const metric_info& m) {
    std::vector<double> list;
    const std::string name{m.name};
    auto theirs = base.samples.begin();
    for (const run_sample& s : row.samples) {
        while (theirs != base.samples.end() && theirs->round < s.round) {
            ++theirs;
        }
        if (theirs == base.samples.end()) {
            break;
        }
        if (theirs->round != s.round) {
            continue;
        }
        const auto a = s.values.find(name);
        const auto b = theirs->values.find(name);
        if (a != s.values.end() && b != theirs->values.end()) {
            list.push_back(std::log(positive(m, a->second) / positive(m, b->second)));
        }
    }
    return list;
}

bool is_judged(const run_row& row) {
    return row.failure.empty() && !row.samples.empty();
}

estimate estimate_row(const run_result& result, const run_row& row, const run_row& base,
                      const metric_info& m) {
    const double level = result.options.level;
    estimate e{estimate_median(row.values(m.name), level)};
    if (&row == &base) {
        return e;
    }
    const std::vector<double> ratios = log_ratios(row, base, m);
    estimate_ratio(e, ratios, level);
    e.p = wilcoxon_signed_rank(ratios);
    e.p_adjusted = e.p;
    return e;
}

void call_difference(estimate& e, const noise& n, double level) {
    const bool is_claimed = e.p_adjusted < 1 - level && exceeds_noise(e, n.floor);
    e.call = !is_claimed ? verdict::no_difference : e.ratio < 1 ? verdict::better : verdict::worse;
}

void judge_metric(run_result& result, const metric_info& m) {
    const std::string name{m.name};
    const auto base = std::find_if(result.rows.begin(), result.rows.end(),
                                   [](const run_row& r) { return r.contender.is_default(); });
    if (base == result.rows.end() || base->values(m.name).empty()) {
        return;
    }
    std::vector<std::pair<const run_row*, estimate*>> family;
    std::vector<double> p_values;
    noise floor{1, 1, 1, 1, least_program_claim};
    bool is_floor_known = base->values(m.name).size() >= rounds_to_judge;
    for (run_row& row : result.rows) {
        if (!is_judged(row) || row.values(m.name).empty()) {
            continue;
        }
        estimate& e = row.estimates[name] = estimate_row(result, row, *base, m);
        if (row.contender.is_control()) {
            // What two equal things differ by is not known from a few rounds either.
            is_floor_known = is_floor_known && are_bounds(e.ratio_low, e.ratio_high);
            if (is_floor_known) {
                floor = {e.ratio, e.ratio_low, e.ratio_high, e.p,
                         std::max(least_program_claim, noise_floor_of(e))};
            }
        } else if (&row != &*base) {
            family.emplace_back(&row, &e);
            p_values.push_back(e.p);
        }
    }
    const std::vector<double> adjusted = holm(p_values);
    for (std::size_t i = 0; i != family.size(); ++i) {
        family[i].second->p_adjusted = adjusted[i];
    }
    if (!is_floor_known) {
        return;
    }
    result.noise_floor[name] = floor;
    const std::size_t needed = least_rounds_to_claim(family.size(), result.options.level);
    for (const auto& [row, one] : family) {
        if (row->values(m.name).size() >= needed) {
            call_difference(*one, floor, result.options.level);
        }
    }
}

/// Whether wall time is noisier than a difference that CPU time shows: no contender can be called by wall time, and one
/// is called by CPU time whose difference the noise of wall time would hide.
bool is_hidden_by_noise(const run_result& result) {
    bool is_hidden = false;
    for (const run_row& row : result.rows) {
        const auto wall = row.estimates.find(wall_metric);
        const auto cpu = row.estimates.find(cpu_metric);
        if (wall != row.estimates.end() && wall->second.is_different()) {
            return false;
        }
        is_hidden = is_hidden || (cpu != row.estimates.end() && cpu->second.is_different() &&
                                  distance(cpu->second.ratio) <= wall_noise(result, row));
    }
    return is_hidden;
}

} // namespace

void judge(run_result& result) {
    result.noise_floor.clear();
    for (run_row& row : result.rows) {
        row.estimates.clear();
    }
    for (const metric_info& m : metrics()) {
        if (m.is_compared) {
            judge_metric(result, m);
        }
    }
    result.judged_by = is_hidden_by_noise(result) ? cpu_metric : wall_metric;
}

std::optional<estimate> compare_rows(const run_result& result, const run_row& row, const run_row& base,
                                     std::string_view metric, std::size_t comparisons) {
    const auto m = std::find_if(metrics().begin(), metrics().end(),
                                [&](const metric_info& info) { return info.name == metric; });
    if (m == metrics().end() || !is_judged(row) || !is_judged(base) || log_ratios(row, base, *m).empty()) {
        return std::nullopt;
    }
    estimate e = estimate_row(result, row, base, *m);
    e.p_adjusted = std::min(1.0, e.p * static_cast<double>(comparisons));
    if (const auto floor = result.noise_floor.find(std::string{metric}); floor != result.noise_floor.end()) {
        call_difference(e, floor->second, result.options.level);
    }
    return e;
}

double wall_noise(const run_result& result, const run_row& row) {
    const auto floor = result.noise_floor.find(wall_metric);
    const auto known = row.estimates.find(wall_metric);
    if (floor == result.noise_floor.end() || known == row.estimates.end()) {
        return 0;
    }
    const estimate& e = known->second;
    const double half_width =
        are_bounds(e.ratio_low, e.ratio_high) ? std::sqrt(e.ratio_high / e.ratio_low) - 1 : 0;
    return std::max(floor->second.floor, half_width);
}

double worst_precision(const run_result& result) {
    const run_row* base = result.find(default_name);
    if (base == nullptr) {
        return std::numeric_limits<double>::infinity();
    }
    const metric_info& wall = metrics().front();
    double worst = 0;
    for (const run_row& row : result.rows) {
        if (&row == base || !is_judged(row) || row.is_done()) {
            continue; // more rounds tell nothing about a contender that has had its own
        }
        paired_estimate e;
        estimate_ratio(e, log_ratios(row, *base, wall), result.options.level);
        if (!are_bounds(e.ratio_low, e.ratio_high)) {
            return std::numeric_limits<double>::infinity();
        }
        worst = std::max(worst, (e.ratio_high - e.ratio_low) / 2);
    }
    return worst;
}

std::size_t least_rounds_to_claim(std::size_t contenders, double level) {
    // The smallest p-value of n rounds is that of all n on one side: 2 / 2^n.
    const double bound = (1 - level) / static_cast<double>(std::max<std::size_t>(contenders, 1));
    return static_cast<std::size_t>(std::floor(1 - std::log2(bound))) + 1;
}

} // namespace linn::tool
