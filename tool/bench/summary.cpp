// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "../measure/quantity.hpp"
#include "judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace linn::tool {
namespace {

/// One way of Linn's against one group of rivals: wins as a range, losses one by one, and how many ties.
std::string compare_sentence(const bench_result& result, const scenario_result& s, std::size_t number) {
    struct win {
        double speed_up;
        std::string text;
    };
    std::vector<win> wins;
    std::vector<std::string> losses;
    std::size_t ties = 0;
    const std::vector<comparison>& all = s.comparisons[number];
    for (const comparison& c : all) {
        const std::string_view title = s.what->phases[c.phase].title;
        const row& best = s.rows[c.other];
        const variant_info& rival = s.variant_of(best);
        // The sentence has named the ways; which allocator, or which pool of several, is what is left to say.
        const std::string other =
            rival.contender.empty() ? result.contenders[best.contender].title : std::string{rival.title};
        switch (c.says) {
        case outcome::win:
            wins.push_back({c.speed_up, fmt::format("{} ({}, {})", times_text(c.speed_up), title, other)});
            break;
        case outcome::loss:
            losses.push_back(
                fmt::format("{} ({} slower than {})", title, times_text(1 / c.speed_up, 2), other));
            break;
        case outcome::tie:
            ++ties;
            break;
        case outcome::not_judged:
            break;
        }
    }
    const std::size_t tests = wins.size() + losses.size() + ties;
    if (tests == 0) {
        return {};
    }
    std::string text =
        fmt::format(" {} beats {} in {} of {}", result.title_of(s, s.rows[all.front().ours]),
                    s.what->comparisons[number].rivals_title, wins.size(), figures::counted(tests, "test"));
    if (!wins.empty()) {
        const auto [least, most] = std::minmax_element(
            wins.begin(), wins.end(), [](const win& a, const win& b) { return a.speed_up < b.speed_up; });
        text += least == most ? fmt::format(", by {}", least->text)
                              : fmt::format(", by {} to {}", least->text, most->text);
    }
    if (!losses.empty()) {
        text += fmt::format("; slower in {}", fmt::join(losses, ", "));
    }
    if (ties != 0) {
        text += fmt::format("; {} of {} {}", ties, tests, figures::agreeing(ties, "is a tie", "are ties"));
    }
    return text + '.';
}

std::string paragraph(const bench_result& result, const scenario_result& s) {
    std::string text;
    if (s.what->name == headline_name) {
        return text; // the verdict says it
    }
    if (s.what->has_curves()) { // a list of forty columns would say less
        text = curve_findings(result, s);
    } else {
        for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
            text += compare_sentence(result, s, i);
        }
    }
    text += scenario_finding(result, s);
    return text.empty() ? text : text.substr(1); // which begins with a space
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
