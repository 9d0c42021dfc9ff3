// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace linn::tool {

namespace {

using figures::unit;
using figures::written;

/// Reads medians of one scenario by name.
struct medians {
    const bench_result& result;
    const scenario_result& scenario;

    const row* find(std::string_view contender, std::string_view variant) const {
        return scenario.find(result.contenders, contender, variant);
    }
    static double ns(const row& r, std::size_t phase) {
        return r.in(phase) == nullptr ? 0 : r.in(phase)->ns.median.middle;
    }
    static double faults(const row& r, std::size_t phase) {
        return r.in(phase) == nullptr ? 0 : r.in(phase)->faults;
    }
    /// Phases are few; a name that is missing would be a mistake in this file.
    std::size_t phase(std::string_view name) const {
        const auto& phases = scenario.what->phases;
        return static_cast<std::size_t>(
            std::find_if(phases.begin(), phases.end(), [&](const phase_info& p) { return p.name == name; }) -
            phases.begin());
    }
};

std::string shared_ptr_finding(const medians& f) {
    std::string text;
    const row* plain = f.find(baseline_name, "make_shared");
    const row* kept = f.find(no_trim_name, "make_shared");
    const std::size_t burst = f.phase("single_burst");
    if (plain != nullptr && kept != nullptr) {
        const double faults = f.faults(*plain, burst);
        if (f.ns(*plain, burst) > 1.5 * f.ns(*kept, burst) && faults > 0.01) {
            text +=
                fmt::format(" In bursts glibc needs {} and {} page faults an operation, {} without trimming: "
                            "most of its price there is heap given back and fetched again.",
                            written(unit::nanoseconds, f.ns(*plain, burst)), written(unit::number, faults),
                            written(unit::nanoseconds, f.ns(*kept, burst)));
        }
    }
    const row* locked = f.find("locked-pool", "allocate_shared");
    const std::size_t one = f.phase("multi_hot");
    const std::size_t two = f.phase("two_hot");
    if (plain != nullptr && locked != nullptr && plain->in(two) != nullptr && locked->in(two) != nullptr) {
        text += fmt::format(
            " The published locked pool goes from {} to {} when two threads use it, std::make_shared on "
            "glibc from {} to {}: ",
            written(unit::nanoseconds, f.ns(*locked, one)), written(unit::nanoseconds, f.ns(*locked, two)),
            written(unit::nanoseconds, f.ns(*plain, one)), written(unit::nanoseconds, f.ns(*plain, two)));
        const outcome o = compare_rows(f.scenario, *locked, *plain, two).says;
        text += o == outcome::loss  ? "contended, it is the slower of the two."
                : o == outcome::win ? "here it stays the faster of the two."
                                    : "contended, they are level.";
    }
    return text;
}

std::string filled_bytes(const medians& f) {
    const std::size_t line = f.phase("line");
    const row* linn = f.find(linn_name, "linn_make_shared_for_overwrite");
    const auto bytes = linn == nullptr ? std::nullopt : linn->metric(line, "fill_bytes");
    if (!bytes || *bytes <= 0) {
        return {};
    }
    return fmt::format(
        " make_shared<Line>() writes {} bytes for nothing; with an empty constructor it writes {}.",
        written(unit::count, *bytes, figures::lettering::prose),
        written(unit::count, linn->metric(line, "fill_bytes_constructor").value_or(0),
                figures::lettering::prose));
}

std::string recycled_line(const medians& f) {
    const std::size_t line = f.phase("line");
    const std::size_t filled = f.phase("line_memset");
    const row* zeros = f.find(no_trim_name, "make_shared");
    const row* recycler = f.find(linn_name, "linn_recycler");
    if (zeros == nullptr || recycler == nullptr) {
        return {};
    }
    return fmt::format(" A recycled Line costs {} instead of {} (glibc that keeps its heap), and {} instead "
                       "of {} when it is then filled for good.",
                       written(unit::nanoseconds, f.ns(*recycler, line)),
                       written(unit::nanoseconds, f.ns(*zeros, line)),
                       written(unit::nanoseconds, f.ns(*recycler, filled)),
                       written(unit::nanoseconds, f.ns(*zeros, filled)));
}

std::string pipeline_finding(const medians& f) {
    std::string text;
    const std::size_t flat = f.phase("flat_out");
    const std::size_t line = f.phase("line_rate");
    const auto rate = [&](const row& r, std::size_t phase) { return 1e3 / f.ns(r, phase); };
    const row* fastest_general = nullptr;
    for (const row& r : f.scenario.rows) {
        if (f.scenario.variant_of(r).name == "make_shared" &&
            (fastest_general == nullptr || rate(r, flat) > rate(*fastest_general, flat))) {
            fastest_general = &r;
        }
    }
    const auto sentence = [&](const row& r) {
        const double reached = rate(r, line);
        // The last burst of a paced run may end a little late.
        const bool keeps_up = reached > 14.88 * 0.99;
        return fmt::format(" {} moves {} M packets/s and {}", f.result.title_of(f.scenario, r),
                           written(unit::number, rate(r, flat)),
                           keeps_up
                               ? fmt::format("keeps up with 10 Gbit/s (14.88 M), where the receiving core is "
                                             "{} and the working core {} idle",
                                             figures::percent(r.metric(line, "receiver_idle").value_or(0)),
                                             figures::percent(r.metric(line, "worker_idle").value_or(0)))
                               : fmt::format("does not keep up with 10 Gbit/s (14.88 M): it reaches {} M",
                                             written(unit::number, reached)));
    };
    if (const row* linn = f.find(linn_name, "linn_make_shared")) {
        text += sentence(*linn);
        text += rate(*linn, flat) >= 37.2 ? "; it would carry 25 Gbit/s (37.2 M) too."
                                          : "; 25 Gbit/s (37.2 M) is beyond it here.";
    }
    if (fastest_general != nullptr) {
        text += sentence(*fastest_general) + '.';
    }
    return text;
}

std::string buffers_finding(const medians& f) {
    const std::size_t filled = f.phase("8m_filled");
    const std::size_t unused = f.phase("8m");
    const row* linn = f.find(linn_name, "linn_buffer_pool");
    const row* zeros = f.find(baseline_name, "make_shared");
    if (linn == nullptr || zeros == nullptr) {
        return {};
    }
    return fmt::format(
        " Reusing 8 MiB costs linn::buffer_pool {} and {} page faults, make_shared<line>() on glibc {} and "
        "{}; when the buffer is then filled, it is {} faster.",
        written(unit::nanoseconds, f.ns(*linn, unused)), written(unit::number, f.faults(*linn, filled)),
        written(unit::nanoseconds, f.ns(*zeros, unused)), written(unit::number, f.faults(*zeros, filled)),
        times_text(f.ns(*zeros, filled) / f.ns(*linn, filled), 2));
}

} // namespace

std::string scenario_finding(const bench_result& result, const scenario_result& s) {
    const medians f{result, s};
    if (!why_not_judged(result).empty()) {
        return s.what->name == "zero-fill" ? filled_bytes(f)
                                           : std::string{}; // bytes do not vary from round to round
    }
    if (s.what->name == "shared-ptr") {
        return shared_ptr_finding(f);
    }
    if (s.what->name == "zero-fill") {
        return filled_bytes(f) + recycled_line(f);
    }
    if (s.what->name == "pipeline") {
        return pipeline_finding(f);
    }
    if (s.what->name == "buffers") {
        return buffers_finding(f);
    }
    return {};
}

namespace {

constexpr const char* ways[] = {"linn_pool", "linn_pool_resource"};

/// The phase with so many threads, if there is one.
std::optional<std::size_t> phase_of(const scenario& s, unsigned threads) {
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        if (s.phases[p].threads == threads) {
            return p;
        }
    }
    return std::nullopt;
}

std::vector<const scenario_result*> programs_of(const bench_result& result) {
    std::vector<const scenario_result*> list;
    for (const scenario_result& s : result.scenarios) {
        if (s.what->group == "threads" && !s.rows.empty()) {
            list.push_back(&s);
        }
    }
    return list;
}

/// Where one of Linn's ways met the general allocators.
struct standing {
    std::size_t first = 0; ///< programs
    std::vector<std::string> second;
    std::vector<std::string> behind; ///< with the place
    std::vector<std::string> most_memory;
};

/// The rows that `ours` is compared with: the general allocators, glibc once.
std::vector<const row*> rivals(const bench_result& result, const scenario_result& s, std::size_t phase) {
    std::vector<const row*> list;
    for (const row& r : s.rows) {
        const std::string& name = result.contenders[r.contender].name;
        if (r.in(phase) != nullptr && s.variant_of(r).name == "new_delete" && name != control_name &&
            name != no_trim_name) {
            list.push_back(&r);
        }
    }
    return list;
}

void place(const bench_result& result, const scenario_result& s, const row& ours, std::size_t phase,
           standing& all) {
    std::size_t ahead = 0;
    bool is_largest = true;
    const double memory = ours.metric(phase, "peak_rss_bytes").value_or(0);
    const std::vector<const row*> others = rivals(result, s, phase);
    for (const row* r : others) {
        ahead += compare_rows(s, ours, *r, phase).says == outcome::loss ? 1U : 0U;
        is_largest = is_largest && r->metric(phase, "peak_rss_bytes").value_or(0) < memory;
    }
    const std::string name{s.what->name};
    if (ahead == 0) {
        ++all.first;
    } else if (ahead == 1) {
        all.second.push_back(name);
    } else {
        all.behind.push_back(fmt::format("{} (place {} of {})", name, ahead + 1, others.size() + 1));
    }
    if (is_largest && !others.empty()) {
        all.most_memory.push_back(name);
    }
}

struct total {
    std::string title;
    double seconds = 0;
    std::size_t programs = 0;
};

/// Seconds of all programs together, by row; only of those that have all programs.
std::vector<total> totals(const bench_result& result, const std::vector<const scenario_result*>& programs) {
    std::map<std::string, total> sums;
    for (const scenario_result* s : programs) {
        const std::size_t phase = *phase_of(*s->what, 2);
        for (const row& r : s->rows) {
            if (const auto seconds = r.metric(phase, "seconds");
                seconds && result.contenders[r.contender].name != control_name) {
                const std::string title = s->variant_of(r).name == "new_delete"
                                              ? result.contenders[r.contender].title
                                              : result.title_of(*s, r);
                total& sum = sums[title];
                sum.title = title;
                sum.seconds += *seconds;
                ++sum.programs;
            }
        }
    }
    std::vector<total> list;
    for (const auto& [title, sum] : sums) {
        if (sum.programs == programs.size()) {
            list.push_back(sum);
        }
    }
    std::sort(list.begin(), list.end(), [](const total& a, const total& b) { return a.seconds < b.seconds; });
    return list;
}

std::string standing_sentence(std::string_view title, const standing& all, std::size_t programs) {
    std::string text =
        fmt::format(" {} is first in {} of {}", title, all.first, figures::counted(programs, "program"));
    if (!all.second.empty()) {
        text += fmt::format(", second in {}", fmt::join(all.second, ", "));
    }
    if (!all.behind.empty()) {
        text += fmt::format(", further behind in {}", fmt::join(all.behind, ", "));
    }
    if (!all.most_memory.empty()) {
        text += fmt::format("; it has the largest peak of memory in {}", fmt::join(all.most_memory, ", "));
    }
    return text + '.';
}

} // namespace

std::string threads_finding(const bench_result& result) {
    const std::vector<const scenario_result*> programs = programs_of(result);
    if (programs.size() < 2 || !why_not_judged(result).empty()) {
        return {};
    }
    std::string text;
    for (const char* way : ways) {
        standing all;
        std::string title;
        std::size_t measured = 0;
        for (const scenario_result* s : programs) {
            const auto phase = phase_of(*s->what, 2);
            const row* r = s->find(result.contenders, linn_name, way);
            if (!phase || r == nullptr || r->in(*phase) == nullptr) {
                continue;
            }
            place(result, *s, *r, *phase, all);
            title = result.title_of(*s, *r);
            ++measured;
        }
        if (measured != 0) {
            text += standing_sentence(title, all, measured);
        }
    }
    std::vector<std::string> sums;
    for (const total& sum : totals(result, programs)) {
        sums.push_back(fmt::format("{} {}", sum.title, written(unit::number, sum.seconds)));
    }
    if (sums.size() > 1) {
        text += fmt::format(" Seconds for all {} together: {}.", programs.size(), fmt::join(sums, ", "));
    }
    return text.empty() ? text : "threads, on 2 threads:" + text;
}

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
