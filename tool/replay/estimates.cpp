// SPDX-License-Identifier: Apache-2.0
#include "estimates.hpp"

#include "../measure/rounds.hpp"
#include "../measure/statistics.hpp"
#include "../trace/program_cost.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

/// A seed of its own for every interval, so that no two share their resamples.
std::uint64_t seed_of(const replay_result& result, const replay_row& row, unsigned salt) {
    std::uint64_t hash = 14'695'981'039'346'656'037u ^ result.options.seed;
    for (const char c : row.name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
    return hash + salt;
}

std::vector<double> log_ratios(const replay_row& row, const replay_row& base) {
    std::vector<double> list;
    for (std::size_t i = 0; i != std::min(row.seconds.size(), base.seconds.size()); ++i)
        list.push_back(std::log(std::max(row.seconds[i], 1e-9) / std::max(base.seconds[i], 1e-9)));
    return list;
}

void estimate_row(const replay_result& result, replay_row& row, const replay_row& base) {
    if (!row.failure.empty() || row.seconds.empty())
        return;
    const double level = result.options.level;
    const interval middle = bootstrap_median(row.seconds, level, seed_of(result, row, 0));
    row.median = middle.middle;
    row.low = middle.low;
    row.high = middle.high;
    if (&row == &base)
        return;
    const interval ratio = bootstrap_median(log_ratios(row, base), level, seed_of(result, row, 1));
    row.ratio = std::exp(ratio.middle);
    row.ratio_low = std::exp(ratio.low);
    row.ratio_high = std::exp(ratio.high);
    // Where threads fight over the default's locks, a replay may take longer than the program did.
    const double share =
        result.program_cpu_seconds > 0 ? std::min(base.median / result.program_cpu_seconds, 1.0) : 0;
    row.change = (row.ratio - 1) * share;
    row.change_low = (row.ratio_low - 1) * share;
    row.change_high = (row.ratio_high - 1) * share;
}

/// How far a ratio is from 1, as a share of the smaller side: 2 and 0.5 are equally far.
double distance(double ratio) {
    return std::exp(std::abs(std::log(ratio))) - 1;
}

/// The only place that says what is faster: the interval excludes 1, and the ratio lies outside the noise floor.
replay_call call_of(const replay_result& result, const replay_row& row) {
    if (!row.failure.empty() || row.name == replay_default_name || row.name == replay_control_name ||
        row.name == replay_null_name || !are_bounds(row.ratio_low, row.ratio_high) || row.seconds.empty())
        return replay_call::not_judged;
    const bool is_told =
        (row.ratio_high < 1 || row.ratio_low > 1) && distance(row.ratio) > result.noise_floor;
    return !is_told ? replay_call::tie : row.ratio < 1 ? replay_call::faster : replay_call::slower;
}

} // namespace

double program_cpu_seconds(const trace_info& info, double replayed) {
    const program_cost cost = cost_of_program(info);
    // A replay that is scaled to a guess, or to time in which the program may have waited, would promise what nobody knows.
    const bool is_known = !cost.is_guess && cost.from != program_cost::source::wall_time;
    return is_known ? cost.cpu_ns * 1e-9 * replayed : 0;
}

void estimate_replay(replay_result& result) {
    if (result.rows.empty())
        return;
    // First, for the others are compared with it.
    estimate_row(result, result.rows.front(), result.rows.front());
    for (auto* list : {&result.rows, &result.groups})
        for (replay_row& row : *list)
            if (&row != &result.rows.front())
                estimate_row(result, row, result.rows.front());
    if (result.together)
        estimate_row(result, *result.together, result.rows.front());
    result.noise_floor = 0;
    if (const replay_row* control = result.find(replay_control_name);
        control != nullptr && control->failure.empty() && !control->seconds.empty() &&
        are_bounds(control->ratio_low, control->ratio_high))
        result.noise_floor = std::max(distance(control->ratio_low), distance(control->ratio_high));
    for (auto* list : {&result.rows, &result.groups})
        for (replay_row& row : *list)
            row.call = call_of(result, row);
}

} // namespace linn::tool
