// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include "../measure/sort_stably.hpp"
#include "judge.hpp"
#include "run_contenders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {
namespace {

/// A fault or two more are no finding, whatever the test says of them.
constexpr double least_count_gap = 1'000;
/// A wider noise floor than this is worth a warning.
constexpr double noisy = 0.05;
/// Fewer rounds give an interval so wide that the warning would be about them.
constexpr std::size_t least_rounds_for_noise = 6;
/// Two copies of one thing that differ at this level are a sign that something is wrong with the machine.
constexpr double suspicious_p = 0.005;

const estimate* find_estimate(const run_row& row, const char* metric) {
    const auto found = row.estimates.find(metric);
    return found == row.estimates.end() ? nullptr : &found->second;
}

/// Contenders with an estimate of the metric, the smallest ratio first; the two copies of the default are not among them.
std::vector<const run_row*> ranked(const run_result& result, const char* metric) {
    std::vector<const run_row*> list;
    for (const run_row& row : result.rows)
        if (!row.contender.is_own() && find_estimate(row, metric) != nullptr)
            list.push_back(&row);
    sort_stably(list, [&](const run_row* a, const run_row* b) {
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

std::string percent(double share) {
    return fmt::format("{:.{}f} %", share * 100, share < 0.0995 ? 1 : 0);
}

/// "10 to 14 %" of two shares.
std::string range(double a, double b) {
    const double low = std::min(a, b);
    const double high = std::max(a, b);
    return fmt::format("{:.{}f} to {}", low * 100, high < 0.0995 ? 1 : 0, percent(high));
}

/// "12 % less time (10 to 14 %)", "2.4 times the time (2.3 to 2.5)".
std::string change_with_interval(const estimate& e, const char* of_what) {
    if (e.ratio >= 2)
        return fmt::format("{:.1f} times the {} ({:.1f} to {:.1f})", e.ratio, of_what, e.ratio_low,
                           e.ratio_high);
    return fmt::format("{} {} ({})", change_text(e.ratio), of_what,
                       range(std::abs(e.ratio_low - 1), std::abs(e.ratio_high - 1)));
}

/// "jemalloc 5.3.0 (11 % less), tcmalloc (9 % less)".
std::string listed(const std::vector<const run_row*>& rows, const char* metric) {
    std::vector<std::string> parts;
    for (const run_row* r : rows)
        parts.push_back(
            fmt::format("{} ({})", r->contender.title, change_text(find_estimate(*r, metric)->ratio)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string noise_text(const run_result& result) {
    const auto floor = result.noise_floor.find("wall_ns");
    return floor == result.noise_floor.end() ? "unknown" : percent(floor->second.floor);
}

std::string memory_clause(const run_row& row) {
    const estimate* memory = find_estimate(row, "peak_rss_bytes");
    if (memory == nullptr || memory->call == verdict::no_difference)
        return "";
    return fmt::format(", {} {} memory", memory->call == verdict::better ? "and" : "but",
                       change_text(memory->ratio));
}

/// How it compares when nothing is claimed: "0.5 % less time, between 1.3 % less and 0.3 % more".
std::string unclaimed(const estimate& e) {
    return fmt::format("{}time, between {} and {}",
                       e.ratio >= 1.995 ? change_text(e.ratio) + " the " : change_text(e.ratio) + ' ',
                       change_text(e.ratio_low), change_text(e.ratio_high));
}

std::string rounds_text(std::size_t rounds) {
    return fmt::format("{} round{}", rounds, rounds == 1 ? "" : "s");
}

std::string too_few_rounds(const run_result& result, const std::vector<const run_row*>& wall,
                           std::size_t needed) {
    std::string text = result.stopped == stop_reason::budget
                           ? fmt::format("Only {} fitted into {}", rounds_text(result.complete_rounds),
                                         duration_text(static_cast<double>(result.options.budget.count())))
                           : fmt::format("Only {} {} run", rounds_text(result.complete_rounds),
                                         result.complete_rounds == 1 ? "was" : "were");
    text += fmt::format(", and no difference can be told from chance below {} with {} contender{}", needed,
                        wall.size(), wall.size() == 1 ? "" : "s");
    const run_row& best = *wall.front();
    text += fmt::format("; so far the best, {}, takes {}.", best.contender.title,
                        unclaimed(*find_estimate(best, "wall_ns")));
    if (result.stopped == stop_reason::budget) {
        const double a_round =
            result.measured_seconds / static_cast<double>(std::max<std::size_t>(result.complete_rounds, 1));
        const double wanted = std::ceil(a_round * static_cast<double>(needed + 2) / 10) * 10;
        text += fmt::format(" --budget {:.0f} gives it enough time, --only fewer contenders.", wanted);
    }
    return text;
}

std::string make_verdict(const run_result& result) {
    const std::vector<const run_row*> wall = ranked(result, "wall_ns");
    if (wall.empty())
        return result.interrupted_by != 0 ? "It was stopped before anything could be compared."
                                          : "Nothing could be compared: every allocator failed.";
    const std::size_t needed = least_rounds_to_claim(wall.size(), result.options.level);
    if (result.complete_rounds < needed)
        return too_few_rounds(result, wall, needed);
    const auto better = with_call(wall, "wall_ns", verdict::better);
    const auto worse = with_call(wall, "wall_ns", verdict::worse);
    if (!better.empty()) {
        const run_row& best = *better.front();
        return fmt::format("{} makes this program faster: {}{}.", best.contender.title,
                           change_with_interval(*find_estimate(best, "wall_ns"), "time"),
                           memory_clause(best));
    }
    const run_row& best = *wall.front();
    const std::string rest = fmt::format("the best, {}, takes {} (noise floor {})", best.contender.title,
                                         unclaimed(*find_estimate(best, "wall_ns")), noise_text(result));
    if (worse.size() == wall.size())
        return wall.size() == 1
                   ? fmt::format("{} makes this program slower: {}{}.", best.contender.title,
                                 change_with_interval(*find_estimate(best, "wall_ns"), "time"),
                                 memory_clause(best))
                   : fmt::format("Every other allocator makes this program slower: the best, {}, takes {}.",
                                 best.contender.title,
                                 change_with_interval(*find_estimate(best, "wall_ns"), "time"));
    return fmt::format("No allocator makes this program measurably faster: {}.", rest);
}

void add_time_findings(run_result& result) {
    const std::vector<const run_row*> wall = ranked(result, "wall_ns");
    auto better = with_call(wall, "wall_ns", verdict::better);
    auto worse = with_call(wall, "wall_ns", verdict::worse);
    const bool only_slower = better.empty() && worse.size() == wall.size();
    if (better.size() > 1) {
        const estimate& best = *find_estimate(*better.front(), "wall_ns");
        std::vector<const run_row*> level;
        std::vector<const run_row*> behind;
        for (const run_row* r : std::vector(better.begin() + 1, better.end()))
            (find_estimate(*r, "wall_ns")->ratio_low <= best.ratio_high ? level : behind).push_back(r);
        if (!level.empty())
            result.findings.push_back(
                fmt::format("As fast within the intervals: {}.", listed(level, "wall_ns")));
        if (!behind.empty())
            result.findings.push_back(
                fmt::format("Faster than the default too: {}.", listed(behind, "wall_ns")));
    }
    if (!worse.empty() && (!only_slower || worse.size() > 1))
        result.findings.push_back(fmt::format("Slower: {}.", listed(worse, "wall_ns")));
    const run_row* no_trim = result.find(run_no_trim_name);
    const estimate* e = no_trim == nullptr ? nullptr : find_estimate(*no_trim, "wall_ns");
    if (e != nullptr && e->call == verdict::better)
        result.findings.push_back(
            fmt::format("No other allocator is needed for {} of that: {} in the environment does it.",
                        percent(1 - e->ratio), fmt::join(no_trim->contender.environment, " ")));
}

std::string mib(double bytes) {
    const double value = bytes / (1024 * 1024);
    return fmt::format("{:.{}f} MiB", value, value < 9.95 ? 1 : 0);
}

void add_memory_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "peak_rss_bytes");
    if (base == nullptr || rows.empty() || find_estimate(*base, "peak_rss_bytes") == nullptr)
        return;
    const double now = find_estimate(*base, "peak_rss_bytes")->median;
    const auto sentence = [&](const char* start, const run_row& r) {
        const estimate& e = *find_estimate(r, "peak_rss_bytes");
        result.findings.push_back(fmt::format("{}: {}, {} ({} instead of {}).", start, r.contender.title,
                                              change_with_interval(e, "memory"), mib(e.median), mib(now)));
    };
    if (find_estimate(*rows.front(), "peak_rss_bytes")->call == verdict::better)
        sentence("Least memory at the peak", *rows.front());
    else
        result.findings.push_back(
            fmt::format("None takes measurably less memory than the default's {}.", mib(now)));
    if (find_estimate(*rows.back(), "peak_rss_bytes")->call == verdict::worse)
        sentence("Most", *rows.back());
}

/// CPU time where it says something else than wall time.
void add_cpu_findings(run_result& result) {
    const std::vector<const run_row*> rows = ranked(result, "cpu_ns");
    if (rows.empty() || !with_call(ranked(result, "wall_ns"), "wall_ns", verdict::better).empty())
        return;
    if (const estimate& e = *find_estimate(*rows.front(), "cpu_ns"); e.call == verdict::better)
        result.findings.push_back(fmt::format("{} takes {}, though not less time.",
                                              rows.front()->contender.title,
                                              change_with_interval(e, "CPU time")));
}

void add_fault_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "minor_faults");
    if (base == nullptr || rows.empty() || find_estimate(*base, "minor_faults") == nullptr)
        return;
    const double now = find_estimate(*base, "minor_faults")->median;
    const estimate& e = *find_estimate(*rows.front(), "minor_faults");
    if (e.call == verdict::better && now - e.median >= least_count_gap)
        result.findings.push_back(fmt::format("Fewest page faults: {}, {:.0f} instead of {:.0f}.",
                                              rows.front()->contender.title, e.median, now));
}

void add_failures(run_result& result) {
    for (const run_row& row : result.rows)
        if (!row.failure.empty() && !row.contender.is_own())
            result.findings.push_back(fmt::format("{} failed: {}.", row.contender.title, row.failure));
}

void add_warnings(run_result& result) {
    for (const run_row& row : result.rows)
        if (!row.output_difference.empty())
            result.warnings.push_back(fmt::format("the output differs under {}: {}. The program may print an "
                                                  "address, or read memory that it never wrote",
                                                  row.contender.title, row.output_difference));
    if (result.left_behind != 0)
        result.warnings.push_back(fmt::format(
            "the program left processes running, {} over all runs; they were ended, and what they "
            "did after its end is not measured",
            result.left_behind));
    if (const auto floor = result.noise_floor.find("wall_ns");
        floor != result.noise_floor.end() && result.complete_rounds >= least_rounds_for_noise) {
        if (floor->second.p < suspicious_p)
            result.warnings.push_back(
                fmt::format("the two copies of the default differ more than chance explains "
                            "(p = {:.4f}): something disturbs this machine regularly",
                            floor->second.p));
        if (floor->second.floor > noisy)
            result.warnings.push_back(
                fmt::format("this machine is noisy: differences below {} cannot be seen; "
                            "a larger --budget or fewer other programs help",
                            percent(floor->second.floor)));
    }
    std::size_t runs = 0;
    std::size_t disturbed = 0;
    for (const run_row& row : result.rows) {
        runs += row.samples.size();
        disturbed += static_cast<std::size_t>(std::count_if(row.samples.begin(), row.samples.end(),
                                                            [](const run_sample& s) { return s.disturbed; }));
    }
    if (disturbed * 4 > runs)
        result.warnings.push_back(
            fmt::format("{} of {} runs were disturbed by something else on this machine", disturbed, runs));
    if (!result.machine.environment.empty())
        result.warnings.push_back(
            fmt::format("the environment steers allocators: {}", fmt::join(result.machine.environment, " ")));
}

} // namespace

std::string duration_text(double seconds) {
    if (seconds < 0.0995)
        return fmt::format("{:.{}f} ms", seconds * 1e3, seconds < 0.00995 ? 1 : 0);
    if (seconds < 9.95)
        return fmt::format("{:.1f} s", seconds);
    if (seconds < 119.5)
        return fmt::format("{:.0f} s", seconds);
    if (seconds < 5970)
        return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string change_text(double ratio) {
    if (ratio >= 1.995)
        return fmt::format("{:.1f} times", ratio);
    return fmt::format("{} {}", percent(std::abs(ratio - 1)), ratio < 1 ? "less" : "more");
}

void describe_run(run_result& result) {
    if (!result.problem.empty() && result.complete_rounds == 0)
        return;
    result.verdict = result.problem.empty() ? make_verdict(result) : "";
    // Below that, "none takes less memory" would be as unfounded as its opposite.
    if (result.complete_rounds >=
        least_rounds_to_claim(ranked(result, "wall_ns").size(), result.options.level)) {
        add_time_findings(result);
        add_memory_findings(result);
        add_cpu_findings(result);
        add_fault_findings(result);
    }
    add_failures(result);
    add_warnings(result);
}

} // namespace linn::tool
