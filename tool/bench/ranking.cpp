// SPDX-License-Identifier: Apache-2.0
#include "ranking.hpp"

#include "../measure/sort_stably.hpp"
#include "../measure/statistics.hpp"
#include "judgement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace linn::tool {
namespace {

/// glibc's time by this contender's in one scenario: over all phases of the ways that both ran.
std::optional<double> speed_in(const bench_result& result, const scenario_result& s, std::size_t contender) {
    std::vector<double> ratios;
    for (const row& r : s.rows) {
        if (r.contender != contender)
            continue;
        const row* baseline = s.find(result.contenders, baseline_name, s.variant_of(r).name);
        if (baseline == nullptr)
            continue;
        for (std::size_t p = 0; p != s.what->phases.size(); ++p)
            if (const phase_figures *own = r.in(p), *theirs = baseline->in(p);
                own != nullptr && theirs != nullptr)
                ratios.push_back(theirs->cycles.median.middle / own->cycles.median.middle);
    }
    return ratios.empty() ? std::nullopt : std::optional{geometric_mean(ratios)};
}

std::optional<double> overall_speed(const bench_result& result, std::size_t contender) {
    std::vector<double> speeds;
    for (const scenario_result& s : result.scenarios) {
        if (s.rows.empty())
            continue;
        const auto speed = speed_in(result, s, contender);
        if (!speed)
            return std::nullopt;
        speeds.push_back(*speed);
    }
    return speeds.empty() ? std::nullopt : std::optional{geometric_mean(speeds)};
}

} // namespace

std::vector<ranked_allocator> rank_allocators(const bench_result& result) {
    std::vector<ranked_allocator> list;
    for (std::size_t c = 0; c != result.contenders.size(); ++c) {
        const contender& who = result.contenders[c];
        if (who.kind == contender_kind::in_process || who.name == control_name || who.name == no_trim_name)
            continue;
        if (const auto speed = overall_speed(result, c))
            list.push_back({c, *speed});
    }
    sort_stably(list, [](const ranked_allocator& a, const ranked_allocator& b) { return a.speed > b.speed; });
    return list;
}

double ranking_threshold(const bench_result& result) {
    for (std::size_t c = 0; c != result.contenders.size(); ++c)
        if (result.contenders[c].name == control_name)
            if (const auto speed = overall_speed(result, c))
                return std::max(least_claim, relative_gap(*speed, 1));
    return least_claim;
}

} // namespace linn::tool
