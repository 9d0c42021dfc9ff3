// SPDX-License-Identifier: Apache-2.0
#include "estimates.hpp"

#include "../measure/statistics.hpp"
#include "../trace/program_cost.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

std::vector<double> log_ratios(const replay_row& row, const replay_row& base) {
    std::vector<double> list;
    for (std::size_t i = 0; i != std::min(row.seconds.size(), base.seconds.size()); ++i) {
        list.push_back(std::log(std::max(row.seconds[i], 1e-9) / std::max(base.seconds[i], 1e-9)));
    }
    return list;
}

void estimate_row(const replay_result& result, replay_row& row, const replay_row& base) {
    if (!row.failure.empty() || row.seconds.empty()) {
        return;
    }
    const interval_options how{result.options.level, resampling_seed(result.options.seed, row.name)};
    static_cast<paired_estimate&>(row) = estimate_median(row.seconds, how);
    if (&row == &base) {
        return;
    }
    estimate_ratio(row, log_ratios(row, base), how);
    // Where threads fight over the default's locks, a replay may take longer than the program did.
    const double share =
        result.program_cpu_seconds > 0 ? std::min(base.median / result.program_cpu_seconds, 1.0) : 0;
    row.change = (row.ratio - 1) * share;
    row.change_low = (row.ratio_low - 1) * share;
    row.change_high = (row.ratio_high - 1) * share;
}

/// The only place that says what is faster: the interval excludes 1, and the ratio lies outside the noise floor.
replay_call call_of(const replay_result& result, const replay_row& row) {
    if (!row.failure.empty() || row.name == default_name || row.name == default_again_name ||
        row.name == null_name || !are_bounds(row.ratio_low, row.ratio_high) || row.seconds.empty()) {
        return replay_call::not_judged;
    }
    if (!exceeds_noise(row, result.noise_floor)) {
        return replay_call::tie;
    }
    return row.ratio < 1 ? replay_call::faster : replay_call::slower;
}

} // namespace

double program_cpu_seconds(const trace_info& info, double replayed) {
    const program_cost cost = cost_of_program(info);
    // A replay that is scaled to a guess, or to time in which the program may have waited, would promise what nobody knows.
    const bool is_known = !cost.is_guess && cost.from != program_cost::source::wall_time;
    return is_known ? cost.cpu_ns * 1e-9 * replayed : 0;
}

void estimate_replay(replay_result& result) {
    if (result.rows.empty()) {
        return;
    }
    // First, for the others are compared with it.
    estimate_row(result, result.rows.front(), result.rows.front());
    for (auto* list : {&result.rows, &result.groups}) {
        for (replay_row& row : *list) {
            if (&row != &result.rows.front()) {
                estimate_row(result, row, result.rows.front());
            }
        }
    }
    if (result.together) {
        estimate_row(result, *result.together, result.rows.front());
    }
    result.noise_floor = 0;
    if (const replay_row* control = result.find(default_again_name);
        control != nullptr && control->failure.empty() && !control->seconds.empty() &&
        are_bounds(control->ratio_low, control->ratio_high)) {
        result.noise_floor = noise_floor_of(*control);
    }
    for (auto* list : {&result.rows, &result.groups}) {
        for (replay_row& row : *list) {
            row.call = call_of(result, row);
        }
    }
}

} // namespace linn::tool
