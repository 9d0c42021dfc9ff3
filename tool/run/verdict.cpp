// SPDX-License-Identifier: Apache-2.0
#include "../experiment/estimate.hpp"
#include "../measure/quantity.hpp"
#include "judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

using figures::percent;
using figures::unit;
using figures::written;

/// A fault or two more are no finding, even if the test is significant.
constexpr double least_count_gap = 1'000;
/// A wider noise floor than this is worth a warning.
constexpr double noisy = 0.05;
/// Two copies of one thing that differ at this level are a sign that something is wrong with the machine.
constexpr double suspicious_p = 0.005;

const estimate* find_estimate(const run_row& row, const char* metric) {
    const auto found = row.estimates.find(metric);
    return found == row.estimates.end() ? nullptr : &found->second;
}

/// Contenders with an estimate of the metric, the smallest ratio first; the two copies of the default are not among them.
std::vector<const run_row*> ranked(const run_result& result, const char* metric) {
    std::vector<const run_row*> list;
    for (const run_row& row : result.rows) {
        if (!row.contender.is_own() && find_estimate(row, metric) != nullptr) {
            list.push_back(&row);
        }
    }
    std::ranges::stable_sort(list, [&](const run_row* a, const run_row* b) {
        return find_estimate(*a, metric)->ratio < find_estimate(*b, metric)->ratio;
    });
    return list;
}

std::vector<const run_row*> with_call(const std::vector<const run_row*>& rows, const char* metric,
                                      verdict call) {
    std::vector<const run_row*> list;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(list),
                 [&](const run_row* r) { return find_estimate(*r, metric)->call == call; });
    return list;
}

/// "2.4", "24".
std::string factor(double ratio) {
    figures::quantity q = figures::figure_of(unit::number, ratio);
    q.digits = 2;
    return q.text();
}

/// "12 %", "1.2 %", "2.3 times": how much more or less a ratio is. @pre ratio > 0
std::string change_text(double ratio) {
    if (ratio >= 1.995) {
        return fmt::format("{} times", factor(ratio));
    }
    return fmt::format("{} {}", percent(std::abs(ratio - 1)), ratio < 1 ? "less" : "more");
}

/// "10 to 14 %" of two shares.
std::string range(double a, double b) {
    return figures::bounds_of(unit::share, std::min(a, b), std::max(a, b)).text(figures::lettering::prose);
}

/// "12 % less time (10 to 14 %)", "2.4 times the time (2.3 to 2.5)".
std::string change_with_interval(const estimate& e, const char* of_what) {
    if (e.ratio >= 2) {
        return fmt::format("{} times the {} ({} to {})", factor(e.ratio), of_what, factor(e.ratio_low),
                           factor(e.ratio_high));
    }
    return fmt::format("{} {} ({})", change_text(e.ratio), of_what,
                       range(std::abs(e.ratio_low - 1), std::abs(e.ratio_high - 1)));
}

/// "jemalloc 5.3.0 (11 % less), tcmalloc (9 % less)".
std::string listed(const std::vector<const run_row*>& rows, const char* metric) {
    std::vector<std::string> parts;
    for (const run_row* r : rows) {
        parts.push_back(
            fmt::format("{} ({})", r->contender.title, change_text(find_estimate(*r, metric)->ratio)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// How the verdict speaks of the metric that it judges by.
struct judged_metric {
    const char* name;
    const char* noun;   ///< "time"
    const char* better; ///< "makes this program faster"
    const char* worse;
    const char* no_better; ///< "makes this program measurably faster"
};

judged_metric metric_of(const run_result& result) {
    if (result.judged_by == cpu_metric) {
        return {cpu_metric, "CPU time", "saves CPU time", "costs CPU time", "measurably saves CPU time"};
    }
    return {wall_metric, "time", "makes this program faster", "makes this program slower",
            "makes this program measurably faster"};
}

std::string noise_text(const run_result& result, const char* metric) {
    const auto floor = result.noise_floor.find(metric);
    return floor == result.noise_floor.end() ? "unknown" : percent(floor->second.floor);
}

std::string memory_clause(const run_row& row) {
    const estimate* memory = find_estimate(row, "peak_rss_bytes");
    if (memory == nullptr || !memory->is_different()) {
        return "";
    }
    return fmt::format(", {} {} memory", memory->call == verdict::better ? "and" : "but",
                       change_text(memory->ratio));
}

/// How it compares when nothing is claimed: "0.5 % less time, between 1.3 % less and 0.3 % more".
std::string unclaimed(const estimate& e, const char* noun) {
    return fmt::format("{} {}{}, between {} and {}", change_text(e.ratio), e.ratio >= 1.995 ? "the " : "",
                       noun, change_text(e.ratio_low), change_text(e.ratio_high));
}

std::string too_few(const run_result& result, std::size_t compared, std::size_t needed) {
    too_few_rounds rounds;
    rounds.done = result.complete_rounds;
    rounds.needed = needed;
    rounds.seconds = result.measured_seconds;
    rounds.why = result.stopped;
    rounds.others = compared > 1 ? "--only" : "";
    return text_of(rounds, "to compare " + figures::counted(compared, "allocator")) + '.';
}

std::string make_verdict(const run_result& result) {
    const judged_metric m = metric_of(result);
    const std::vector<const run_row*> rows = ranked(result, m.name);
    if (rows.empty()) {
        return result.interrupted_by != 0 ? "It was stopped before anything could be compared."
                                          : "Nothing could be compared: every allocator failed.";
    }
    const std::size_t needed = least_rounds_to_claim(rows.size(), result.options.level);
    if (result.complete_rounds < needed) {
        return too_few(result, rows.size(), needed);
    }
    const auto better = with_call(rows, m.name, verdict::better);
    const auto worse = with_call(rows, m.name, verdict::worse);
    const run_row& best = better.empty() ? *rows.front() : *better.front();
    const estimate& e = *find_estimate(best, m.name);
    const std::string change = change_with_interval(e, m.noun);
    std::string text;
    if (!better.empty()) {
        text = fmt::format("{} {}: {}{}.", best.contender.title, m.better, change, memory_clause(best));
    } else if (worse.size() == rows.size() && rows.size() == 1) {
        text = fmt::format("{} {}: {}{}.", best.contender.title, m.worse, change, memory_clause(best));
    } else if (worse.size() == rows.size()) {
        text = fmt::format("Every other allocator {}: the best, {}, takes {}.", m.worse, best.contender.title,
                           change);
    } else {
        text = fmt::format("No allocator {}: the best, {}, takes {} (noise floor {}).", m.no_better,
                           best.contender.title, unclaimed(e, m.noun), noise_text(result, m.name));
    }
    if (result.judged_by == cpu_metric) {
        text += fmt::format(" Wall time is too noisy here (±{}); judged by CPU time.",
                            percent(wall_noise(result, best)));
    }
    return text;
}

void add_time_findings(run_result& result) {
    const char* const metric = metric_of(result).name;
    const std::vector<const run_row*> rows = ranked(result, metric);
    auto better = with_call(rows, metric, verdict::better);
    auto worse = with_call(rows, metric, verdict::worse);
    const bool only_slower = better.empty() && worse.size() == rows.size();
    const bool is_cpu = result.judged_by == cpu_metric;
    if (better.size() > 1) {
        const estimate& best = *find_estimate(*better.front(), metric);
        std::vector<const run_row*> level;
        std::vector<const run_row*> behind;
        for (const run_row* r : std::vector(better.begin() + 1, better.end())) {
            (find_estimate(*r, metric)->ratio_low <= best.ratio_high ? level : behind).push_back(r);
        }
        if (!level.empty()) {
            result.findings.push_back(fmt::format("{} within the intervals: {}.",
                                                  is_cpu ? "As little CPU time" : "As fast",
                                                  listed(level, metric)));
        }
        if (!behind.empty()) {
            result.findings.push_back(fmt::format(
                "{} than the default too: {}.", is_cpu ? "Less CPU time" : "Faster", listed(behind, metric)));
        }
    }
    if (!worse.empty() && (!only_slower || worse.size() > 1)) {
        result.findings.push_back(
            fmt::format("{}: {}.", is_cpu ? "More CPU time" : "Slower", listed(worse, metric)));
    }
    for (const char* const name : {no_trim_name, huge_name}) {
        const run_row* setting = result.find(name);
        const estimate* e = setting == nullptr ? nullptr : find_estimate(*setting, metric);
        if (e != nullptr && e->call == verdict::better) {
            result.findings.push_back(
                fmt::format("With {} in the environment, glibc takes {} {}; that needs no other allocator.",
                            fmt::join(setting->contender.environment, " "), change_text(e->ratio),
                            metric_of(result).noun));
        }
    }
}

std::string size_text(double bytes) {
    return figures::quantity{.what = unit::bytes, .value = bytes, .digits = 2}.text();
}

void add_memory_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "peak_rss_bytes");
    if (base == nullptr || rows.empty() || find_estimate(*base, "peak_rss_bytes") == nullptr) {
        return;
    }
    const double now = find_estimate(*base, "peak_rss_bytes")->median;
    const auto sentence = [&](const char* start, const run_row& r) {
        const estimate& e = *find_estimate(r, "peak_rss_bytes");
        result.findings.push_back(fmt::format("{}: {}, {} ({} instead of {}).", start, r.contender.title,
                                              change_with_interval(e, "memory"), size_text(e.median),
                                              size_text(now)));
    };
    if (find_estimate(*rows.front(), "peak_rss_bytes")->call == verdict::better) {
        sentence("Least memory at the peak", *rows.front());
    } else {
        result.findings.push_back(
            fmt::format("None takes measurably less memory than the default's {}.", size_text(now)));
    }
    if (find_estimate(*rows.back(), "peak_rss_bytes")->call == verdict::worse) {
        sentence("Most", *rows.back());
    }
}

/// CPU time where it says something else than wall time.
void add_cpu_findings(run_result& result) {
    const std::vector<const run_row*> rows = ranked(result, cpu_metric);
    if (rows.empty() || result.judged_by == cpu_metric ||
        !with_call(ranked(result, wall_metric), wall_metric, verdict::better).empty()) {
        return;
    }
    if (const estimate& e = *find_estimate(*rows.front(), cpu_metric); e.call == verdict::better) {
        result.findings.push_back(fmt::format("{} takes {}, though not measurably less time.",
                                              rows.front()->contender.title,
                                              change_with_interval(e, "CPU time")));
    }
}

void add_fault_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "minor_faults");
    if (base == nullptr || rows.empty() || find_estimate(*base, "minor_faults") == nullptr) {
        return;
    }
    const double now = find_estimate(*base, "minor_faults")->median;
    const estimate& e = *find_estimate(*rows.front(), "minor_faults");
    if (e.call == verdict::better && now - e.median >= least_count_gap) {
        result.findings.push_back(fmt::format("Fewest page faults: {}, {} instead of {}.",
                                              rows.front()->contender.title, written(unit::count, e.median),
                                              written(unit::count, now)));
    }
}

void add_failures(run_result& result) {
    for (const run_row& row : result.rows) {
        if (!row.failure.empty() && !row.contender.is_own()) {
            result.findings.push_back(fmt::format("{} failed: {}.", row.contender.title, row.failure));
        }
    }
}

void add_warnings(run_result& result) {
    for (const run_row& row : result.rows) {
        if (!row.output_difference.empty()) {
            result.warnings.push_back(fmt::format("the output differs under {}: {}. The program may print an "
                                                  "address, or read memory that it never wrote",
                                                  row.contender.title, row.output_difference));
        }
    }
    if (result.left_behind != 0) {
        result.warnings.push_back(fmt::format(
            "the program left processes running, {} over all runs; they were ended, and what they "
            "did after its end is not measured",
            result.left_behind));
    }
    if (const auto floor = result.noise_floor.find(wall_metric); floor != result.noise_floor.end()) {
        if (floor->second.p < suspicious_p) {
            result.warnings.push_back(
                fmt::format("the two copies of the default differ more than chance explains "
                            "(p-value {}): something disturbs this machine regularly",
                            written(unit::chance, floor->second.p)));
        }
        if (floor->second.floor > noisy && result.judged_by != cpu_metric) { // which the verdict says there
            result.warnings.push_back(fmt::format(
                "wall time is noisy on this machine: a saving below {} or a cost below {} cannot be "
                "seen in it; a larger --budget or fewer other programs help",
                percent(floor->second.floor / (1 + floor->second.floor)), percent(floor->second.floor)));
        }
    }
    std::size_t runs = 0;
    std::size_t disturbed = 0;
    for (const run_row& row : result.rows) {
        runs += row.samples.size();
        disturbed += static_cast<std::size_t>(std::count_if(row.samples.begin(), row.samples.end(),
                                                            [](const run_sample& s) { return s.disturbed; }));
    }
    if (disturbed * 4 > runs) {
        result.warnings.push_back(fmt::format("{} of {} {} disturbed by something else on this machine",
                                              disturbed, figures::counted(runs, "run"),
                                              figures::agreeing(disturbed, "was", "were")));
    }
    if (!result.machine.environment.empty()) {
        result.warnings.push_back(
            fmt::format("the environment steers allocators: {}", fmt::join(result.machine.environment, " ")));
    }
}

} // namespace

void describe_run(run_result& result) {
    if (!result.problem.empty() && result.complete_rounds == 0) {
        return;
    }
    result.verdict = result.problem.empty() ? make_verdict(result) : "";
    // Below that, "none takes less memory" would be as unfounded as its opposite.
    if (result.complete_rounds >=
        least_rounds_to_claim(ranked(result, wall_metric).size(), result.options.level)) {
        add_time_findings(result);
        add_memory_findings(result);
        add_cpu_findings(result);
        add_fault_findings(result);
    }
    add_failures(result);
    add_warnings(result);
}

} // namespace linn::tool
