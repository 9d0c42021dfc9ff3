// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool {
namespace {

struct verdicts {
    std::vector<std::string> wins;
    std::vector<std::string> losses;
    std::vector<std::string> ties;
};

void judge(const bench_result& result, const scenario_result& s, verdicts& v) {
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const auto c = compare_linn(result, s, p);
        if (!c)
            continue;
        const double threshold = 1 + std::max(claim_threshold(result, s, p), c->uncertainty);
        const std::string& other = result.contenders[c->best_other].title;
        const std::string_view title = s.what->phases[p].title;
        if (c->speed_up > threshold)
            v.wins.push_back(fmt::format("{} ({:.2f} x faster than {})", title, c->speed_up, other));
        else if (c->speed_up * threshold < 1)
            v.losses.push_back(fmt::format("{} ({:.2f} x slower than {})", title, 1 / c->speed_up, other));
        else
            v.ties.push_back(fmt::format("{} (with {})", title, other));
    }
}

} // namespace

double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase) {
    return std::max(least_claim, noise_floor(result, s, phase).value_or(least_claim));
}

std::string summarise(const bench_result& result) {
    verdicts v;
    bool measured_anything = false;
    for (const scenario_result& s : result.scenarios) {
        measured_anything = measured_anything || !s.rows.empty();
        judge(result, s, v);
    }
    if (!measured_anything)
        return "Nothing was measured.";
    const std::size_t columns = v.wins.size() + v.losses.size() + v.ties.size();
    if (columns == 0)
        return "Linn was not measured, so there is nothing to say about it.";

    std::string text = fmt::format("Linn is the fastest in {} of {} columns", v.wins.size(), columns);
    if (!v.wins.empty())
        text += fmt::format(": {}", fmt::join(v.wins, ", "));
    if (!v.losses.empty())
        text += fmt::format("; it loses {}", fmt::join(v.losses, ", "));
    if (!v.ties.empty())
        text += fmt::format("; too close to call: {}", fmt::join(v.ties, ", "));
    return text + '.';
}

} // namespace linn::tool
