// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "curve_findings.hpp"
#include "findings.hpp"
#include "headline.hpp"
#include "judgement.hpp"
#include "threads_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool {
namespace {

constexpr const char* not_measured = "Linn was not measured, so there is nothing to say about it.";

/// What was judged of some tests, in words.
struct verdicts {
    std::vector<std::string> wins;
    std::vector<std::string> losses;
    std::size_t ties = 0;

    std::size_t tests() const { return wins.size() + losses.size() + ties; }
};

/// "; slower in X; 4 of 6 are ties".
std::string losses_and_ties(const verdicts& v) {
    std::string text;
    if (!v.losses.empty())
        text += fmt::format("; slower in {}", fmt::join(v.losses, ", "));
    if (v.ties != 0)
        text += fmt::format("; {} of {} {}", v.ties, v.tests(), v.ties == 1 ? "is a tie" : "are ties");
    return text;
}

void judge_phases(const bench_result& result, const scenario_result& s, verdicts& v) {
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const auto c = compare_linn(result, s, p);
        if (!c)
            continue;
        const std::string& other = result.contenders[c->best_other->contender].title;
        const std::string_view title = s.what->phases[p].title;
        switch (judge(result, s, p, *c)) {
        case outcome::win:
            v.wins.push_back(fmt::format("{} ({} faster than {})", title, times_text(c->speed_up, 2), other));
            break;
        case outcome::loss:
            v.losses.push_back(
                fmt::format("{} ({} slower than {})", title, times_text(1 / c->speed_up, 2), other));
            break;
        case outcome::tie:
            ++v.ties;
            break;
        case outcome::not_judged:
            break;
        }
    }
}

/// One way of Linn's against one group of rivals: wins as a range, losses one by one, and how many ties.
std::string compare_sentence(const bench_result& result, const scenario_result& s,
                             const comparison_info& info) {
    struct win {
        double speed_up;
        std::string text;
    };
    std::vector<win> wins;
    verdicts v;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const auto c = compare(result, s, info, p);
        if (!c)
            continue;
        const std::string_view title = s.what->phases[p].title;
        const variant_info& rival = s.what->variants[c->best_other->variant];
        // The sentence has named the ways; which allocator, or which pool of several, is what is left to say.
        const std::string other = rival.contender.empty() ? result.contenders[c->best_other->contender].title
                                                          : std::string{rival.title};
        switch (judge(result, s, p, *c)) {
        case outcome::win:
            wins.push_back({c->speed_up, fmt::format("{} ({}, {})", times_text(c->speed_up), title, other)});
            v.wins.emplace_back(title);
            break;
        case outcome::loss:
            v.losses.push_back(
                fmt::format("{} ({} slower than {})", title, times_text(1 / c->speed_up, 2), other));
            break;
        case outcome::tie:
            ++v.ties;
            break;
        case outcome::not_judged:
            break;
        }
    }
    if (v.tests() == 0)
        return {};
    const row* ours = s.find(result.contenders, linn_name, info.ours);
    std::string text = fmt::format("{} beats {} in {} of {} tests", result.title_of(s, *ours),
                                   info.rivals_title, wins.size(), v.tests());
    if (!wins.empty()) {
        const auto [least, most] = std::minmax_element(
            wins.begin(), wins.end(), [](const win& a, const win& b) { return a.speed_up < b.speed_up; });
        text += least == most ? fmt::format(", by {}", least->text)
                              : fmt::format(", by {} to {}", least->text, most->text);
    }
    return text + losses_and_ties(v) + '.';
}

std::string variant_finding(const bench_result& result, const scenario_result& s) {
    std::string text;
    if (s.what->has_curves()) {
        text = curve_findings(result, s); // a list of forty columns would say less
    } else {
        for (const comparison_info& info : s.what->comparisons)
            if (const std::string sentence = compare_sentence(result, s, info); !sentence.empty())
                text += ' ' + sentence;
    }
    text += scenario_finding(result, s);
    return text.empty() ? text : fmt::format("{}:{}", s.what->name, text);
}

} // namespace

std::string summarise(const bench_result& result) {
    verdicts v;
    bool measured_anything = false;
    bool only_variants = true;
    bool has_linn = false;
    std::vector<std::string_view> names;
    for (const scenario_result& s : result.scenarios) {
        measured_anything = measured_anything || !s.rows.empty();
        only_variants = only_variants && s.what->has_variants();
        if (s.what->has_variants() || s.rows.empty())
            continue;
        judge_phases(result, s, v);
        names.push_back(s.what->name);
        has_linn = has_linn || s.find(result.contenders, linn_name) != nullptr;
    }
    if (!measured_anything)
        return "Nothing was measured.";
    if (only_variants)
        return fmt::format("{}", fmt::join(findings(result), " "));
    if (!has_linn)
        return not_measured;
    if (std::string why = why_not_judged(result); !why.empty())
        return why;
    if (v.tests() == 0)
        return fmt::format("Linn met no rival in {}, so there is nothing to compare.",
                           fmt::join(names, " and "));
    std::string text = fmt::format("Linn is the fastest in {} of {} tests of {}", v.wins.size(), v.tests(),
                                   fmt::join(names, " and "));
    if (!v.wins.empty())
        text += fmt::format(": {}", fmt::join(v.wins, ", "));
    return text + losses_and_ties(v) + '.';
}

std::string disturbance(const bench_result& result) {
    std::size_t all = 0;
    std::size_t disturbed = 0;
    for (const scenario_result& s : result.scenarios)
        for (const row& r : s.rows) {
            all += r.samples.size();
            disturbed += r.disturbed;
        }
    constexpr double most_disturbed = 0.2;
    if (static_cast<double>(disturbed) <= most_disturbed * static_cast<double>(all))
        return {};
    return fmt::format("The machine was busy: {} of {} samples are unreliable. Re-run when idle.", disturbed,
                       all);
}

std::vector<std::string> findings(const bench_result& result) {
    std::vector<std::string> list;
    const bool some_without = std::any_of(result.scenarios.begin(), result.scenarios.end(),
                                          [](const scenario_result& s) { return !s.what->has_variants(); });
    const bool nothing = std::all_of(result.scenarios.begin(), result.scenarios.end(),
                                     [](const scenario_result& s) { return s.rows.empty(); });
    const bool has_linn =
        std::any_of(result.scenarios.begin(), result.scenarios.end(), [&](const scenario_result& one) {
            return std::any_of(one.rows.begin(), one.rows.end(), [&](const row& r) {
                return result.contenders[r.contender].name == linn_name;
            });
        });
    const std::string why_not = has_linn ? why_not_judged(result) : std::string{};
    if (!why_not.empty())
        list.push_back(why_not);
    else if (some_without || nothing)
        list.push_back(summarise(result));
    if (nothing)
        return list;
    if (std::string first = headline(result); !first.empty())
        list.insert(list.begin(), std::move(first));
    for (const scenario_result& s : result.scenarios)
        if (s.what->has_variants())
            if (std::string finding = variant_finding(result, s); !finding.empty())
                list.push_back(std::move(finding));
    if (std::string all = threads_finding(result); !all.empty())
        list.push_back(std::move(all));
    if (list.empty())
        list.emplace_back(not_measured);
    if (std::string warning = disturbance(result); !warning.empty())
        list.push_back(std::move(warning));
    return list;
}

} // namespace linn::tool
