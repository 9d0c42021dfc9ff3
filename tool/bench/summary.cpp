// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "curve_findings.hpp"
#include "findings.hpp"
#include "headline.hpp"
#include "judgement.hpp"

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
            v.ties.push_back(fmt::format("{} (with {})", title, other));
            break;
        }
    }
}

/// One way of Linn's against one group of rivals: wins as a range, losses and ties one by one.
std::string compare_sentence(const bench_result& result, const scenario_result& s,
                             const comparison_info& info) {
    struct win {
        double speed_up;
        std::string text;
    };
    std::vector<win> wins;
    std::vector<std::string> losses;
    std::vector<std::string> ties;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const auto c = compare(result, s, info, p);
        if (!c)
            continue;
        const std::string_view title = s.what->phases[p].title;
        const variant_info& v = s.what->variants[c->best_other->variant];
        // The sentence has named the ways; which allocator, or which pool of several, is what is left to say.
        const std::string other =
            v.contender.empty() ? result.contenders[c->best_other->contender].title : std::string{v.title};
        switch (judge(result, s, p, *c)) {
        case outcome::win:
            wins.push_back({c->speed_up, fmt::format("{} ({}, {})", times_text(c->speed_up), title, other)});
            break;
        case outcome::loss:
            losses.push_back(
                fmt::format("{} ({} slower than {})", title, times_text(1 / c->speed_up, 2), other));
            break;
        case outcome::tie:
            ties.push_back(fmt::format("{} (with {})", title, other));
            break;
        }
    }
    const std::size_t columns = wins.size() + losses.size() + ties.size();
    if (columns == 0)
        return {};
    const row* ours = s.find(result.contenders, linn_name, info.ours);
    std::string text = fmt::format("{} beats {} in {} of {} columns", result.title_of(s, *ours),
                                   info.rivals_title, wins.size(), columns);
    if (!wins.empty()) {
        const auto [least, most] = std::minmax_element(
            wins.begin(), wins.end(), [](const win& a, const win& b) { return a.speed_up < b.speed_up; });
        text += least == most ? fmt::format(", by {}", least->text)
                              : fmt::format(", by {} to {}", least->text, most->text);
    }
    if (!losses.empty())
        text += fmt::format("; it loses {}", fmt::join(losses, ", "));
    if (!ties.empty())
        text += fmt::format("; too close to call: {}", fmt::join(ties, ", "));
    return text + '.';
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
    for (const scenario_result& s : result.scenarios) {
        measured_anything = measured_anything || !s.rows.empty();
        only_variants = only_variants && s.what->has_variants();
        if (!s.what->has_variants())
            judge_phases(result, s, v);
    }
    if (!measured_anything)
        return "Nothing was measured.";
    if (only_variants)
        return fmt::format("{}", fmt::join(findings(result), " "));
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
    return fmt::format(
        "Something else used this machine: {} of {} samples were disturbed and kept. Run it again when "
        "it is quiet, above all for the figures of two threads.",
        disturbed, all);
}

std::vector<std::string> findings(const bench_result& result) {
    std::vector<std::string> list;
    const bool some_without = std::any_of(result.scenarios.begin(), result.scenarios.end(),
                                          [](const scenario_result& s) { return !s.what->has_variants(); });
    const bool nothing = std::all_of(result.scenarios.begin(), result.scenarios.end(),
                                     [](const scenario_result& s) { return s.rows.empty(); });
    if (some_without || nothing)
        list.push_back(summarise(result));
    if (nothing)
        return list;
    if (std::string first = headline(result); !first.empty())
        list.insert(list.begin(), std::move(first));
    for (const scenario_result& s : result.scenarios)
        if (s.what->has_variants())
            if (std::string finding = variant_finding(result, s); !finding.empty())
                list.push_back(std::move(finding));
    if (list.empty())
        list.emplace_back("Linn was not measured, so there is nothing to say about it.");
    if (std::string warning = disturbance(result); !warning.empty())
        list.push_back(std::move(warning));
    return list;
}

} // namespace linn::tool
