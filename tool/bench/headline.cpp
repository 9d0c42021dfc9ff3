// SPDX-License-Identifier: Apache-2.0
#include "headline.hpp"

#include "../measure/sort_stably.hpp"
#include "../measure/statistics.hpp"
#include "judgement.hpp"
#include "ranking.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t most_characters = 400;

struct won_topic {
    double speed_up; ///< geometric mean over the tests
    std::string_view topic;
    std::string way; ///< of Linn's, where one is the best in all tests; else empty
};

struct lost_phase {
    double slow_down;
    std::string where;
    std::string rival;
    bool is_general; ///< a rival that a user can turn to instead
};

/// Everything that the headline may choose from.
struct standings {
    std::vector<won_topic> won;
    std::vector<lost_phase> lost;
    std::size_t compared = 0; ///< scenarios in which Linn met a rival
};

void add_standing(const bench_result& result, const scenario_result& s, standings& all) {
    std::vector<double> speed_ups;
    std::vector<const row*> ways;
    std::size_t wins = 0;
    std::size_t losses = 0;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const comparison* const best = best_of_linn(s, p);
        if (best == nullptr || best->says == outcome::not_judged)
            continue;
        const comparison& c = *best;
        speed_ups.push_back(c.speed_up);
        ways.push_back(&s.rows[c.ours]);
        wins += c.says == outcome::win ? 1 : 0;
        if (c.says != outcome::loss)
            continue;
        ++losses;
        const row& other = s.rows[c.other];
        const contender& rival = result.contenders[other.contender];
        all.lost.push_back(
            {1 / c.speed_up, fmt::format("{} ({})", s.what->phases[p].title, s.what->name),
             rival.kind == contender_kind::in_process ? result.title_of(s, other) : rival.title,
             rival.kind != contender_kind::in_process});
    }
    if (speed_ups.empty())
        return;
    ++all.compared;
    // Half of the tests at least must be claims of their own, and none a loss.
    if (losses != 0 || 2 * wins < speed_ups.size())
        return;
    const bool is_one_way =
        std::count(ways.begin(), ways.end(), ways.front()) == static_cast<std::ptrdiff_t>(ways.size());
    all.won.push_back({geometric_mean(speed_ups), s.what->topic,
                       is_one_way ? result.title_of(s, *ways.front()) : std::string{}});
}

standings take_standings(const bench_result& result) {
    standings all;
    for (const scenario_result& s : result.scenarios)
        if (!s.rows.empty())
            add_standing(result, s, all);
    sort_stably(all.won, [](const won_topic& a, const won_topic& b) { return a.speed_up > b.speed_up; });
    sort_stably(all.lost, [](const lost_phase& a, const lost_phase& b) { return a.slow_down > b.slow_down; });
    return all;
}

std::string wins_sentence(const standings& all, std::size_t most) {
    if (all.compared == 0)
        return "Linn was not measured.";
    if (all.won.empty())
        return fmt::format("Linn is clearly ahead of its best rival in none of {} subjects.", all.compared);
    std::vector<std::string> named;
    for (const won_topic& w : all.won)
        if (named.size() != most)
            named.push_back(
                fmt::format("{} ({}{})", w.topic, w.way.empty() ? "" : w.way + ", ", times_text(w.speed_up)));
    const std::size_t more = all.won.size() - named.size();
    std::string text =
        fmt::format("Linn is faster than the best rival (geometric mean) for {}", fmt::join(named, ", "));
    if (more != 0)
        text += fmt::format(" and {} more of {} subjects", more, all.compared);
    return text + '.';
}

std::string losses_sentences(const standings& all, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i != std::min(most, all.lost.size()); ++i) {
        const lost_phase& l = all.lost[i];
        text += l.is_general
                    ? fmt::format(" For {} use {}, not a pool: {} faster.", l.where, l.rival,
                                  times_text(l.slow_down))
                    : fmt::format(" For {}, {} is {} faster.", l.where, l.rival, times_text(l.slow_down));
    }
    if (all.lost.size() > most)
        text += fmt::format(" Slower in {} more test{} (see below).", all.lost.size() - most,
                            all.lost.size() - most == 1 ? "" : "s");
    return text;
}

std::string allocators_sentence(const bench_result& result) {
    const std::vector<ranked_allocator> ranking = rank_allocators(result);
    const auto title = [&](const ranked_allocator& a) { return result.contenders[a.contender].title; };
    if (ranking.size() < 2)
        return " No general allocator beside glibc was measured; linn allocators says how to get some.";
    const double threshold = 1 + ranking_threshold(result);
    const ranked_allocator& best = ranking[0];
    if (best.speed < threshold)
        return " No general allocator is clearly faster than glibc over all.";
    // Those that the noise does not let apart share the place; glibc is not among them.
    std::vector<std::string> first;
    for (const ranked_allocator& a : ranking)
        if (a.speed * threshold >= best.speed && a.speed >= threshold)
            first.push_back(title(a));
    if (first.size() > 1) {
        const std::string last = first.back();
        first.pop_back();
        return fmt::format(
            " {} and {} are the best general allocators here, too close to call: {} glibc over all.",
            fmt::join(first, ", "), last, times_text(best.speed));
    }
    return fmt::format(" The best general allocator here is {}, {} glibc over all; then {} ({}).",
                       title(best), times_text(best.speed), title(ranking[1]), times_text(ranking[1].speed));
}

} // namespace

std::string headline(const bench_result& result) {
    const auto measured = std::count_if(result.scenarios.begin(), result.scenarios.end(),
                                        [](const scenario_result& s) { return !s.rows.empty(); });
    if (measured < 2 || !why_not_judged(result).empty())
        return {};
    const standings all = take_standings(result);
    std::string text;
    struct numbers {
        std::size_t wins;
        std::size_t losses;
    };
    for (const numbers n : {numbers{3, 2}, numbers{2, 2}, numbers{2, 1}, numbers{1, 1}}) {
        text = wins_sentence(all, n.wins) + losses_sentences(all, n.losses) + allocators_sentence(result);
        if (text.size() <= most_characters)
            break;
    }
    return text;
}

} // namespace linn::tool
