// SPDX-License-Identifier: Apache-2.0
#include "estimates.hpp"

#include "../measure/statistics.hpp"

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

} // namespace

double program_cpu_seconds(const trace_info& info, double replayed) {
    double ns = info.baseline_cpu_ns;
    if (ns <= 0) {
        const double recorded = info.user_ns + info.system_ns;
        ns = recorded - static_cast<double>(info.events) * info.event_cost_ns;
        // A recording cannot have cost nearly all; then its estimate is worth nothing.
        if (ns < recorded * 0.02)
            ns = 0;
    }
    return ns * 1e-9 * replayed;
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
    result.noise_floor = 0;
    if (const replay_row* control = result.find(replay_control_name);
        control != nullptr && control->failure.empty() && !control->seconds.empty())
        result.noise_floor = std::exp(std::max(std::abs(std::log(control->ratio_low)),
                                               std::abs(std::log(control->ratio_high)))) -
                             1;
}

} // namespace linn::tool
