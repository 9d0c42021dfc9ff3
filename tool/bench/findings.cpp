// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace linn::tool {

namespace {

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
    const auto by_speed_up = [](const comparison* a, const comparison* b) {
        return a->speed_up < b->speed_up;
    };

    std::string text =
        fmt::format("{} beats {} in {} of {}", result.title_of(s, s.rows[all.front().ours]),
                    s.what->comparisons[number].rivals_title, wins.size(), figures::counted(tests, "test"));
    if (!wins.empty()) {
        const auto [least, most] = std::ranges::minmax_element(wins, by_speed_up);
        text += ", by " + win_text(*least);
        text += least == most ? "" : " to " + win_text(*most);
    }
    if (losses.size() > most_losses) {
        text += fmt::format("; slower in {}, most in ", losses.size());
        losses = {*std::ranges::min_element(losses, by_speed_up)};
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

/// What the summary says of one scenario. The verdict speaks for the headline.
std::string paragraph(const bench_result& result, const scenario_result& s) {
    std::vector<std::string> sentences;
    if (s.what->name != headline_name) {
        for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
            sentences.push_back(compare_sentence(result, s, i));
        }
        std::erase(sentences, "");
    }
    return fmt::format("{}", fmt::join(sentences, " "));
}

/// The seconds of all programs of the group threads together, on two threads, of each row that has all of them; the fastest
/// first. Empty where fewer than two were measured, or too few rounds.
std::string threads_finding(const bench_result& result) {
    std::map<std::string, std::vector<double>> seconds; // by the row's title
    std::size_t programs = 0;
    for (const scenario_result& s : result.scenarios) {
        const auto two = std::ranges::find(s.what->phases, 2U, &phase_info::threads);
        if (s.what->group != "threads" || s.rows.empty() || two == s.what->phases.end()) {
            continue;
        }
        ++programs;
        for (const row& r : s.rows) {
            const contender& c = result.contenders[r.contender];
            const auto took = r.metric(static_cast<std::size_t>(two - s.what->phases.begin()), "seconds");
            if (took && c.name != control_name) {
                seconds[s.variant_of(r).contender.empty() ? c.title : result.title_of(s, r)].push_back(*took);
            }
        }
    }
    std::vector<std::pair<double, std::string>> sums;
    for (const auto& [title, list] : seconds) {
        if (list.size() == programs) {
            sums.emplace_back(std::accumulate(list.begin(), list.end(), 0.0), title);
        }
    }
    if (programs < 2 || sums.size() < 2 || !why_not_judged(result).empty()) {
        return {};
    }
    std::ranges::sort(sums);
    std::vector<std::string> texts;
    for (const auto& [sum, title] : sums) {
        texts.push_back(fmt::format("{} {}", title, figures::written(figures::unit::number, sum)));
    }
    return fmt::format("threads: seconds for all {} programs together, on 2 threads: {}.", programs,
                       fmt::join(texts, ", "));
}

bool has_linn(const bench_result& result) {
    for (const scenario_result& s : result.scenarios) {
        for (const row& r : s.rows) {
            if (result.contenders[r.contender].name == linn_name) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::string disturbance(const bench_result& result) {
    std::size_t all = 0;
    std::size_t disturbed = 0;
    for (const scenario_result& s : result.scenarios) {
        disturbed += s.disturbed;
        for (const row& r : s.rows) {
            all += r.samples.size();
        }
    }
    constexpr double most_disturbed = 0.2;
    if (static_cast<double>(disturbed) <= most_disturbed * static_cast<double>(all)) {
        return {};
    }
    return fmt::format("The machine was busy: {} of {} {} unreliable. Re-run when idle.", disturbed,
                       figures::counted(all, "sample"), figures::agreeing(disturbed, "is", "are"));
}

std::string finding::sentence() const {
    return about == nullptr ? text : fmt::format("{}: {}", about->name, text);
}

std::vector<std::string> bench_findings::sentences() const {
    std::vector<std::string> all;
    for (const finding& f : list) {
        all.push_back(f.sentence());
    }
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
    const auto add = [&](std::string text, const scenario* about = nullptr) {
        if (!text.empty()) {
            all.list.push_back({std::move(text), about});
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
        add(paragraph(result, s), s.what);
    }
    add(threads_finding(result));
    if (all.list.empty()) {
        add(is_linn_there ? "No rival of Linn was measured, so there is nothing to compare."
                          : "Linn was not measured.");
    }
    all.reliability = first ? fmt::format("Trust: {}", first->trust) : disturbance(result);
    return all;
}

} // namespace linn::tool
