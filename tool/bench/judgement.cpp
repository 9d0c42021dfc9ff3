// SPDX-License-Identifier: Apache-2.0
#include "judgement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {

double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase) {
    return std::max(least_claim, noise_floor(result, s, phase).value_or(least_claim));
}

outcome judge(const bench_result& result, const scenario_result& s, std::size_t phase, const comparison& c) {
    if (c.best_other->samples.size() < 2)
        return outcome::tie; // nobody can tell how far away the next round would be
    const double threshold = 1 + std::max(claim_threshold(result, s, phase), c.uncertainty);
    return c.speed_up > threshold ? outcome::win : c.speed_up * threshold < 1 ? outcome::loss : outcome::tie;
}

std::optional<best_way> best_of_linn(const bench_result& result, const scenario_result& s,
                                     const comparison_info& first, std::size_t phase) {
    std::optional<best_way> best;
    for (const comparison_info& info : s.what->comparisons) {
        if (!std::equal(info.rivals.begin(), info.rivals.end(), first.rivals.begin(), first.rivals.end()))
            continue;
        if (const auto c = compare(result, s, info, phase);
            c && (!best || c->speed_up > best->against.speed_up))
            best = best_way{s.find(result.contenders, linn_name, info.ours), *c};
    }
    return best;
}

std::string times_text(double factor, int digits) {
    constexpr double two_places = 9.95; // what would be written "10.0"
    if (factor >= 1'000)
        return "over 1000 x";
    return fmt::format("{:.{}f} x", factor, factor < two_places ? digits : 0);
}

} // namespace linn::tool
