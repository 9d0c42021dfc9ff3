// SPDX-License-Identifier: Apache-2.0
#include "judgement.hpp"

#include "../experiment/too_few_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {

double claim_threshold(const bench_result& result, const scenario_result& s, std::size_t phase) {
    return std::max(least_claim, noise_floor(result, s, phase).value_or(least_claim));
}

outcome judge(const bench_result& result, const scenario_result& s, std::size_t phase, const comparison& c) {
    if (c.rounds < rounds_to_judge)
        return outcome::not_judged;
    const double threshold = 1 + std::max(claim_threshold(result, s, phase), c.uncertainty);
    return c.speed_up > threshold ? outcome::win : c.speed_up * threshold < 1 ? outcome::loss : outcome::tie;
}

const char* to_string(outcome o) noexcept {
    switch (o) {
    case outcome::win:
        return "win";
    case outcome::loss:
        return "loss";
    case outcome::tie:
        return "tie";
    case outcome::not_judged:
        break;
    }
    return "not judged";
}

std::string why_not_judged(const bench_result& result) {
    std::size_t most = 0;
    for (const scenario_result& s : result.scenarios)
        for (const row& r : s.rows)
            most = std::max(most, r.samples.size());
    if (most >= rounds_to_judge)
        return {};
    too_few_rounds rounds;
    rounds.done = most;
    rounds.seconds = result.seconds;
    rounds.why = why_stopped(result.interrupted_by, result.complete_rounds, result.options.rounds);
    rounds.others = result.scenarios.size() > 1 ? "name fewer scenarios" : "";
    return text_of(rounds, "to tell a difference from noise") + '.';
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
