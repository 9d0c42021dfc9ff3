// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "../measure/statistics.hpp"
#include "bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace linn::tool {

namespace {

/// "6.1 x", or "6.13 x" with two digits; from ten on "58 x", and "over 1000 x", where digits say nothing.
std::string times_text(double factor, int digits = 1) {
    if (factor >= 1'000) {
        return "over 1000 x";
    }
    constexpr double two_places = 9.95; // what would be written "10.0"
    const figures::quantity shown{
        .what = figures::unit::number, .value = factor, .digits = factor < two_places ? 1 + digits : 2};
    return shown.text() + " x";
}

/// One of Linn's variants against one group of rivals: wins as a range, losses one by one, and how many ties.
std::string compare_sentence(const bench_result& result, const scenario_result& s, std::size_t number) {
    constexpr std::size_t most_losses = 4; // that are named; of more, the worst is
    std::vector<const comparison*> wins;
    std::vector<const comparison*> losses;
    std::size_t ties = 0;
    const std::vector<comparison>& all = s.comparisons[number];
    for (const comparison& c : all) {
        if (c.says == outcome::win || c.says == outcome::loss) {
            (c.says == outcome::win ? wins : losses).push_back(&c);
        }
        ties += c.says == outcome::tie ? 1U : 0U;
    }
    const std::size_t tests = wins.size() + losses.size() + ties;
    if (tests == 0) {
        return {};
    }
    const auto title = [&](const comparison* c) { return s.what->phases[c->phase].title; };
    // The sentence has named the variants; which allocator, or which pool of several, is what is left to say.
    const auto other = [&](const comparison* c) {
        const variant_info& rival = s.variant_of(s.rows[c->other]);
        return rival.contender.empty() ? result.contenders[s.rows[c->other].contender].title
                                       : std::string{rival.title};
    };
    const auto win_text = [&](const comparison* c) {
        return fmt::format("{} ({}, {})", times_text(c->speed_up), title(c), other(c));
    };

    std::string text =
        fmt::format("{} beats {} in {} of {}", result.title_of(s, s.rows[all.front().ours]),
                    s.what->comparisons[number].rivals_title, wins.size(), figures::counted(tests, "test"));
    if (!wins.empty()) {
        const auto [least, most] = std::ranges::minmax_element(wins, {}, &comparison::speed_up);
        text += ", by " + win_text(*least);
        text += least == most ? "" : " to " + win_text(*most);
    }
    if (losses.size() > most_losses) {
        text += fmt::format("; slower in {}, most in ", losses.size());
        losses = {std::ranges::min(losses, {}, &comparison::speed_up)};
    } else if (!losses.empty()) {
        text += "; slower in ";
    }
    std::vector<std::string> loss_texts;
    for (const comparison* c : losses) {
        loss_texts.push_back(
            fmt::format("{} ({} slower than {})", title(c), times_text(1 / c->speed_up, 2), other(c)));
    }
    text += fmt::format("{}", fmt::join(loss_texts, ", "));
    if (ties != 0) {
        text += fmt::format("; {} of {} {}", ties, tests, figures::agreeing(ties, "is a tie", "are ties"));
    }
    return text + '.';
}

/// What the summary says of one scenario; empty where that is nothing. The verdict speaks for the headline.
std::string paragraph(const bench_result& result, const scenario_result& s) {
    std::string text;
    for (std::size_t i = 0; s.what->name != headline_name && i != s.comparisons.size(); ++i) {
        if (const std::string sentence = compare_sentence(result, s, i); !sentence.empty()) {
            text += fmt::format("{} {}", text.empty() ? fmt::format("{}:", s.what->name) : "", sentence);
        }
    }
    return text;
}

bool has_linn(const bench_result& result) {
    return std::ranges::any_of(result.scenarios, [&](const scenario_result& s) {
        return std::ranges::any_of(
            s.rows, [&](const row& r) { return result.contenders[r.contender].name == linn_name; });
    });
}

/// A warning where too many samples were taken while something else used the machine; otherwise empty.
std::string disturbance(const bench_result& result) {
    std::size_t all = 0;
    std::size_t disturbed = 0;
    for (const scenario_result& s : result.scenarios) {
        disturbed += s.disturbed;
        all += s.samples;
    }
    constexpr double most_disturbed = 0.2;
    if (static_cast<double>(disturbed) <= most_disturbed * static_cast<double>(all)) {
        return {};
    }
    return fmt::format("The machine was busy: {} of {} {} unreliable. Re-run when idle.", disturbed,
                       figures::counted(all, "sample"), figures::agreeing(disturbed, "is", "are"));
}

constexpr double noisy = 0.05; // of which glibc and its second copy may differ in the middle test

bool is_buffer(const headline_test& t) {
    return t.what->name.starts_with("buffer");
}

std::vector<headline_test> tests_of(const bench_result& result, const scenario_result& s) {
    std::vector<headline_test> tests;
    for (const comparison& c : s.comparisons.front()) {
        const row& other = s.rows[c.other];
        tests.push_back({&s.what->phases[c.phase], s.rows[c.ours].in(c.phase)->ns.median.middle,
                         other.in(c.phase)->ns.median.middle, result.contenders[other.contender].title,
                         c.speed_up, c.says});
    }
    return tests;
}

std::vector<ranked_allocator> ranking_of(const bench_result& result, const scenario_result& s) {
    std::vector<ranked_allocator> list;
    for (const row& r : s.rows) {
        const contender& who = result.contenders[r.contender];
        const bool is_general = who.kind != contender_kind::in_process && who.name != control_name &&
                                who.name != no_trim_name; // which is a setting
        if (is_general && r.ratio > 0) {
            list.push_back({who.title, 1 / r.ratio});
        }
    }
    std::ranges::stable_sort(list, std::greater{}, &ranked_allocator::speed);
    return list;
}

/// How far apart two of the ranking must be to be told apart.
double ranking_threshold(const bench_result& result, const scenario_result& s) {
    const row* const control = s.find(result.contenders, control_name, s.what->baseline);
    return 1 + std::max(least_claim,
                        control == nullptr || control->ratio <= 0 ? 0 : relative_gap(control->ratio, 1));
}

/// "1.3 to 5.2 x", of the tests with objects that Linn wins.
std::string range_of(const std::vector<headline_test>& wins) {
    const auto [least, most] = std::ranges::minmax_element(wins, {}, &headline_test::speed_up);
    const std::string low = times_text(least->speed_up);
    const std::string high = times_text(most->speed_up);
    return low == high ? high : fmt::format("{} to {}", low.substr(0, low.find(" x")), high);
}

std::string objects_sentence(const headline_result& h) {
    std::vector<headline_test> wins;
    std::size_t tests = 0;
    for (const headline_test& t : h.tests) {
        if (!is_buffer(t)) {
            ++tests;
            if (t.says == outcome::win) {
                wins.push_back(t);
            }
        }
    }
    if (wins.empty()) {
        return fmt::format(
            "Objects of one type: a Linn pool is faster than the best allocator in none of {}.",
            figures::counted(tests, "test"));
    }
    return fmt::format("Objects of one type: a Linn pool is {} as fast as the best allocator in {} of {}.",
                       range_of(wins), wins.size(), figures::counted(tests, "test"));
}

std::string losses_sentence(const headline_result& h) {
    const auto saved = std::find_if(h.tests.begin(), h.tests.end(), [](const headline_test& t) {
        return !t.what->saves.empty() && t.says == outcome::win;
    });
    const std::string ties =
        h.ties == 0 ? std::string{} : "; " + figures::counted(h.ties, "is a tie", "are ties");
    if (h.losses == 0) {
        return fmt::format(
            "Linn is slower in none of {}{}.{}", figures::counted(h.tests.size(), "test"), ties,
            saved == h.tests.end() ? std::string{}
                                   : fmt::format(" {}: {}.", saved->what->title, saved->what->saves));
    }
    const headline_test* worst = nullptr;
    for (const headline_test& t : h.tests) {
        if (t.says == outcome::loss && (worst == nullptr || t.speed_up < worst->speed_up)) {
            worst = &t;
        }
    }
    const std::string more = h.losses == 1 ? std::string{} : fmt::format(" Slower in {} more.", h.losses - 1);
    return fmt::format("But {}: {} is {} faster.{}", worst->what->title, worst->other,
                       times_text(1 / worst->speed_up), more);
}

std::string allocators_sentence(const bench_result& result, const scenario_result& s,
                                const std::vector<ranked_allocator>& ranking) {
    if (ranking.size() < 2) {
        return "No general allocator besides glibc was measured; linn allocators says how to get some.";
    }
    const double threshold = ranking_threshold(result, s);
    const ranked_allocator& best = ranking.front();
    if (best.speed < threshold) {
        return "Everything else: no general allocator is clearly faster than glibc (geometric mean).";
    }
    const std::string speed = times_text(best.speed);
    // Glibc comes last at best, so there is a second one.
    const ranked_allocator& second = ranking[1];
    if (second.speed * threshold >= best.speed && second.speed >= threshold) {
        return fmt::format("Everything else: {} or {}, both {} glibc (geometric mean).", best.title,
                           second.title, speed);
    }
    return fmt::format("Everything else: {}, {} glibc (geometric mean){}.", best.title, speed,
                       second.speed >= threshold
                           ? fmt::format("; then {}, {}", second.title, times_text(second.speed))
                           : std::string{});
}

std::vector<std::string> verdict_of(const bench_result& result, const scenario_result& s,
                                    const headline_result& h) {
    if (std::string why = why_not_judged(result, s.least_rounds); !why.empty()) {
        return {std::move(why)};
    }
    std::vector<std::string> lines;
    if (s.find(result.contenders, linn_name, "linn") == nullptr) {
        lines.emplace_back("Linn was not measured.");
    } else if (!h.tests.empty()) {
        lines = {objects_sentence(h), losses_sentence(h)};
    }
    lines.push_back(allocators_sentence(result, s, h.ranking));
    return lines;
}

/// The middle test's gap between the two copies of glibc, and the whole range.
std::vector<double> floors_of(const scenario_result& s) {
    std::vector<double> floors;
    for (const phase_noise& n : s.noise) {
        if (n.floor) {
            floors.push_back(*n.floor);
        }
    }
    std::sort(floors.begin(), floors.end());
    return floors;
}

/// Percent of the full work; of less, warming up is a large part.
constexpr std::size_t least_trusted_work = 10;

void set_trust(const bench_result& result, const scenario_result& s, headline_result& h) {
    const std::vector<double> floors = floors_of(s);
    if (s.least_rounds < rounds_to_judge) {
        h.trust = fmt::format("LOW. {}, and {} are needed.", figures::counted(s.least_rounds, "round"),
                              rounds_to_judge);
    } else if (result.options.work < least_trusted_work) {
        h.trust = fmt::format("LOW. Most of {} % of the full work is warming up: leave out --work.",
                              result.options.work);
    } else if (std::string busy = disturbance(result); !busy.empty()) {
        h.trust = "LOW. " + busy;
    } else if (!floors.empty() && median(floors) > noisy) {
        h.trust = fmt::format("LOW. In the middle test glibc differs from itself by {}. Re-run when idle.",
                              figures::percent(median(floors)));
    } else {
        h.is_trusted = true;
        h.trust = fmt::format("good. {}, {} of {} disturbed{}.", figures::counted(s.least_rounds, "round"),
                              s.disturbed, figures::counted(s.samples, "sample"),
                              floors.empty() ? std::string{}
                                             : fmt::format(", glibc differs from itself by {} to {}",
                                                           figures::percent(floors.front()),
                                                           figures::percent(floors.back())));
    }
}

/// Nothing where the scenario was not measured. Nothing within the noise is claimed, and nothing at all from fewer than
/// `rounds_to_judge` rounds.
std::optional<headline_result> headline(const bench_result& result) {
    const auto s = std::ranges::find_if(result.scenarios, [](const scenario_result& one) {
        return one.what->name == headline_name && !one.rows.empty();
    });
    if (s == result.scenarios.end()) {
        return std::nullopt;
    }
    headline_result h;
    h.tests = tests_of(result, *s);
    for (const headline_test& t : h.tests) {
        h.wins += t.says == outcome::win ? 1 : 0;
        h.losses += t.says == outcome::loss ? 1 : 0;
        h.ties += t.says == outcome::tie ? 1 : 0;
    }
    h.ranking = ranking_of(result, *s);
    for (const left_out_contender& l : result.missing) {
        if (l.scenario.empty() || l.scenario == headline_name) {
            h.unmeasured.push_back(l.name);
        }
    }
    h.verdict = verdict_of(result, *s, h);
    set_trust(result, *s, h);
    return h;
}

} // namespace

std::string headline_test::result() const {
    switch (says) {
    case outcome::win:
        return what->saves.empty() ? times_text(speed_up) + " faster" : std::string{what->saves};
    case outcome::loss:
        return times_text(1 / speed_up) + " SLOWER";
    case outcome::tie:
        return "tie";
    case outcome::not_judged:
        break;
    }
    return "-";
}

std::vector<std::string> bench_findings::sentences() const {
    std::vector<std::string> all = list;
    if (!reliability.empty()) {
        all.push_back(reliability);
    }
    return all;
}

bench_findings findings(const bench_result& result) {
    if (std::all_of(result.scenarios.begin(), result.scenarios.end(),
                    [](const scenario_result& s) { return s.rows.empty(); })) {
        return {};
    }
    bench_findings all{.list = {}, .headline = headline(result), .reliability = {}};
    const auto add = [&](std::string text) {
        if (!text.empty()) {
            all.list.push_back(std::move(text));
        }
    };
    const bool is_linn_there = has_linn(result);
    const std::optional<headline_result>& first = all.headline;
    if (first) {
        add(fmt::format("{}", fmt::join(first->verdict, " ")));
    } else if (is_linn_there) {
        add(why_not_judged(result));
    }
    for (const scenario_result& s : result.scenarios) {
        add(paragraph(result, s));
    }
    if (all.list.empty()) {
        add(is_linn_there ? "No rival of Linn was measured, so there is nothing to compare."
                          : "Linn was not measured.");
    }
    all.reliability = first ? fmt::format("Trust: {}", first->trust) : disturbance(result);
    return all;
}

} // namespace linn::tool
