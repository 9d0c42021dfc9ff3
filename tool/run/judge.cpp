// SPDX-License-Identifier: Apache-2.0
#include "../measure/statistics.hpp"
#include "../measure/words.hpp"
#include "run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace linn::tool {

std::span<const metric_info> metrics() noexcept {
    using figures::unit;
    static constexpr std::array<metric_info, 9> list{{
        {"wall_ns", "wall time", unit::nanoseconds, true},
        {"cpu_ns", "CPU time", unit::nanoseconds, true},
        {"user_ns", "user time", unit::nanoseconds, false},
        {"sys_ns", "system time", unit::nanoseconds, false},
        {"peak_rss_bytes", "peak memory", unit::bytes, true},
        {"minor_faults", "minor page faults", unit::count, true},
        {"major_faults", "major page faults", unit::count, false},
        {"voluntary_switches", "voluntary context switches", unit::count, true},
        {"involuntary_switches", "involuntary context switches", unit::count, false},
    }};
    return list;
}

const metric_info& metric_named(std::string_view name) noexcept {
    return *std::ranges::find(metrics(), name, &metric_info::name);
}

std::vector<double> run_row::values(std::string_view metric) const {
    std::vector<double> list;
    for (const run_sample& s : samples) {
        if (const auto found = s.values.find(std::string{metric}); found != s.values.end()) {
            list.push_back(found->second);
        }
    }
    return list;
}

const estimate* run_row::find_estimate(std::string_view metric) const {
    const auto found = estimates.find(std::string{metric});
    return found == estimates.end() ? nullptr : &found->second;
}

const run_row* run_result::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const run_row& r) { return r.contender.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

const char* to_string(verdict v) noexcept {
    return word_of(v, {"better", "worse", "no difference", "not judged"});
}

const char* to_string(stop_reason reason) noexcept {
    return word_of(reason, {"precise", "rounds", "budget", "interrupted", "nothing to compare"});
}

namespace {

/// The values of a metric by round; a ratio needs one to divide by, so a count of nothing is that of one.
std::map<std::size_t, double> values_of(const run_row& row, const metric_info& m) {
    std::map<std::size_t, double> values;
    for (const run_sample& s : row.samples) {
        const auto found = s.values.find(std::string{m.name});
        const double more = m.unit == figures::unit::count ? 1 : 0;
        if (found != s.values.end() && found->second + more > 0) {
            values[s.round] = found->second + more;
        }
    }
    return values;
}

bool is_judged(const run_row& row) {
    return row.failure.empty() && !row.samples.empty();
}

/// The median of the ratios that have these logarithms.
interval median_ratio(const std::vector<double>& logarithms, double level) {
    const interval i = median_interval(logarithms, level);
    return {std::exp(i.middle), std::exp(i.low), std::exp(i.high)};
}

estimate estimate_row(const run_result& result, const run_row& row, const run_row& base,
                      const metric_info& m) {
    const double level = result.options.level;
    const interval middle = median_interval(row.values(m.name), level);
    estimate e{.median = middle.middle, .low = middle.low, .high = middle.high};
    if (&row == &base) {
        return e;
    }
    const std::vector<double> ratios = log_ratios(pair_rounds(row, base, m.name));
    const interval ratio = median_ratio(ratios, level);
    e.ratio = ratio.middle;
    e.ratio_low = ratio.low;
    e.ratio_high = ratio.high;
    e.p = wilcoxon_signed_rank(ratios);
    e.p_adjusted = e.p;
    return e;
}

void call_difference(estimate& e, const noise& n, double level) {
    const bool excludes_none = e.ratio_low > 1 || e.ratio_high < 1; // false where bounds are not known
    const bool is_claimed = e.p_adjusted < 1 - level && excludes_none && relative_gap(e.ratio, 1) > n.floor;
    e.call = !is_claimed ? verdict::no_difference : e.ratio < 1 ? verdict::better : verdict::worse;
}

void judge_metric(run_result& result, const metric_info& m) {
    const std::string name{m.name};
    const run_row* const base = result.find(default_name);
    if (base == nullptr || base->values(m.name).empty()) {
        return;
    }
    std::vector<std::pair<const run_row*, estimate*>> family;
    std::vector<double> p_values;
    noise floor{1, 1, 1, 1, least_program_claim};
    bool is_floor_known = base->values(m.name).size() >= rounds_to_judge;
    for (run_row& row : result.rows) {
        if (!is_judged(row) || row.values(m.name).empty()) {
            continue;
        }
        estimate& e = row.estimates[name] = estimate_row(result, row, *base, m);
        if (row.contender.is_control()) {
            // What two equal things differ by is not known from a few rounds either.
            is_floor_known = is_floor_known && are_bounds(e.ratio_low, e.ratio_high);
            if (is_floor_known) {
                floor = {e.ratio, e.ratio_low, e.ratio_high, e.p,
                         std::max({least_program_claim, relative_gap(e.ratio_low, 1),
                                   relative_gap(e.ratio_high, 1)})};
            }
        } else if (&row != base) {
            family.emplace_back(&row, &e);
            p_values.push_back(e.p);
        }
    }
    const std::vector<double> adjusted = holm(p_values);
    for (std::size_t i = 0; i != family.size(); ++i) {
        family[i].second->p_adjusted = adjusted[i];
    }
    if (!is_floor_known) {
        return;
    }
    result.noise_floor[name] = floor;
    const std::size_t needed = least_rounds_to_claim(family.size(), result.options.level);
    for (const auto& [row, one] : family) {
        if (row->values(m.name).size() >= needed) {
            call_difference(*one, floor, result.options.level);
        }
    }
}

/// Whether wall time is noisier than a difference that CPU time shows: no contender can be called by wall time, and one
/// is called by CPU time whose difference the noise of wall time would hide.
bool is_hidden_by_noise(const run_result& result) {
    bool is_hidden = false;
    for (const run_row& row : result.rows) {
        const estimate* const wall = row.find_estimate(wall_metric);
        const estimate* const cpu = row.find_estimate(cpu_metric);
        if (wall != nullptr && wall->is_different()) {
            return false;
        }
        is_hidden = is_hidden || (cpu != nullptr && cpu->is_different() &&
                                  relative_gap(cpu->ratio, 1) <= wall_noise(result, row));
    }
    return is_hidden;
}

} // namespace

paired_rounds pair_rounds(const run_row& row, const run_row& base, std::string_view metric) {
    const metric_info& m = metric_named(metric);
    const auto theirs = values_of(base, m);
    paired_rounds pairs;
    for (const auto& [round, value] : values_of(row, m)) {
        if (const auto other = theirs.find(round); other != theirs.end()) {
            pairs[round] = std::log(value / other->second);
        }
    }
    return pairs;
}

std::vector<double> log_ratios(const paired_rounds& pairs) {
    std::vector<double> list;
    for (const auto& [round, value] : pairs) {
        list.push_back(value);
    }
    return list;
}

void judge(run_result& result) {
    result.noise_floor.clear();
    for (run_row& row : result.rows) {
        row.estimates.clear();
    }
    for (const metric_info& m : metrics()) {
        if (m.is_compared) {
            judge_metric(result, m);
        }
    }
    result.judged_by = is_hidden_by_noise(result) ? cpu_metric : wall_metric;
}

std::optional<estimate> compare_rows(const run_result& result, const run_row& row, const run_row& base,
                                     std::string_view metric, std::size_t comparisons) {
    const metric_info& m = metric_named(metric);
    if (!is_judged(row) || !is_judged(base) || pair_rounds(row, base, metric).empty()) {
        return std::nullopt;
    }
    estimate e = estimate_row(result, row, base, m);
    e.p_adjusted = std::min(1.0, e.p * static_cast<double>(comparisons));
    if (const auto floor = result.noise_floor.find(std::string{metric}); floor != result.noise_floor.end()) {
        call_difference(e, floor->second, result.options.level);
    }
    return e;
}

double wall_noise(const run_result& result, const run_row& row) {
    const auto floor = result.noise_floor.find(wall_metric);
    const estimate* const e = row.find_estimate(wall_metric);
    if (floor == result.noise_floor.end() || e == nullptr) {
        return 0;
    }
    const double half_width =
        are_bounds(e->ratio_low, e->ratio_high) ? std::sqrt(e->ratio_high / e->ratio_low) - 1 : 0;
    return std::max(floor->second.floor, half_width);
}

std::string noise_text(const run_result& result, std::string_view metric) {
    const auto n = result.noise_floor.find(std::string{metric});
    const double floor = n == result.noise_floor.end() ? 0 : n->second.floor;
    return floor == 0 ? ""
                      : fmt::format("{} less to {} more", figures::percent(floor / (1 + floor)),
                                    figures::percent(floor));
}

double worst_precision(const run_result& result) {
    const run_row* base = result.find(default_name);
    if (base == nullptr) {
        return std::numeric_limits<double>::infinity();
    }
    double worst = 0;
    for (const run_row& row : result.rows) {
        if (&row == base || !is_judged(row) || row.is_done()) {
            continue; // more rounds tell nothing about a contender that has had its own
        }
        const interval ratio =
            median_ratio(log_ratios(pair_rounds(row, *base, wall_metric)), result.options.level);
        if (!ratio.is_known()) {
            return std::numeric_limits<double>::infinity();
        }
        worst = std::max(worst, (ratio.high - ratio.low) / 2);
    }
    return worst;
}

std::size_t least_rounds_to_claim(std::size_t contenders, double level) {
    // The smallest p-value of n rounds is that of all n on one side: 2 / 2^n.
    const double bound = (1 - level) / static_cast<double>(std::max<std::size_t>(contenders, 1));
    return static_cast<std::size_t>(std::floor(1 - std::log2(bound))) + 1;
}

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

/// Contenders with an estimate of the metric, the smallest ratio first; the two copies of the default are not among them.
std::vector<const run_row*> ranked(const run_result& result, const char* metric) {
    std::vector<const run_row*> list;
    for (const run_row& row : result.rows) {
        if (!row.contender.is_own() && row.find_estimate(metric) != nullptr) {
            list.push_back(&row);
        }
    }
    std::ranges::stable_sort(list, [&](const run_row* a, const run_row* b) {
        return a->find_estimate(metric)->ratio < b->find_estimate(metric)->ratio;
    });
    return list;
}

std::vector<const run_row*> with_call(const std::vector<const run_row*>& rows, const char* metric,
                                      verdict call) {
    std::vector<const run_row*> list;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(list),
                 [&](const run_row* r) { return r->find_estimate(metric)->call == call; });
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

/// "12 % less time", "2.4 times the time".
std::string change_of(double ratio, const char* of_what) {
    return fmt::format("{} {}{}", change_text(ratio), ratio >= 1.995 ? "the " : "", of_what);
}

/// "12 % less time (10 to 14 %)", "2.4 times the time (2.3 to 2.5)".
std::string change_with_interval(const estimate& e, const char* of_what) {
    return fmt::format("{} ({})", change_of(e.ratio, of_what),
                       e.ratio >= 1.995 ? fmt::format("{} to {}", factor(e.ratio_low), factor(e.ratio_high))
                                        : range(std::abs(e.ratio_low - 1), std::abs(e.ratio_high - 1)));
}

/// "jemalloc 5.3.0 (11 % less), tcmalloc (9 % less)".
std::string listed(const std::vector<const run_row*>& rows, const char* metric) {
    std::vector<std::string> parts;
    for (const run_row* r : rows) {
        parts.push_back(
            fmt::format("{} ({})", r->contender.title, change_text(r->find_estimate(metric)->ratio)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// How the report speaks of the metric that it judges by.
struct judged_metric {
    const char* name;
    const char* noun;   ///< "time"
    const char* better; ///< "makes this program faster"
    const char* worse;
    const char* no_better; ///< "makes this program measurably faster"
    const char* less;      ///< "Faster"
    const char* more;
};

judged_metric metric_of(const run_result& result) {
    if (result.judged_by == cpu_metric) {
        return {
            cpu_metric,      "CPU time",     "saves CPU time", "costs CPU time", "measurably saves CPU time",
            "Less CPU time", "More CPU time"};
    }
    return {wall_metric,
            "time",
            "makes this program faster",
            "makes this program slower",
            "makes this program measurably faster",
            "Faster",
            "Slower"};
}

std::string memory_clause(const run_row& row, verdict time) {
    const estimate* memory = row.find_estimate("peak_rss_bytes");
    if (memory == nullptr || !memory->is_different()) {
        return "";
    }
    return fmt::format(", {} {}", memory->call == time ? "and" : "but", change_of(memory->ratio, "memory"));
}

/// How it compares when nothing is claimed: "0.5 % less time, between 1.3 % less and 0.3 % more".
std::string unclaimed(const estimate& e, const char* noun) {
    return fmt::format("{}, between {} and {}", change_of(e.ratio, noun), change_text(e.ratio_low),
                       change_text(e.ratio_high));
}

std::string too_few(const run_result& result, std::size_t compared, std::size_t needed) {
    too_few_rounds rounds;
    rounds.done = result.complete_rounds;
    rounds.needed = needed;
    rounds.seconds = result.measured_seconds;
    rounds.besides = result.seconds - result.measured_seconds;
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
    const estimate& e = *best.find_estimate(m.name);
    const std::string change = change_with_interval(e, m.noun);
    std::string text;
    if (!better.empty() || (worse.size() == rows.size() && rows.size() == 1)) {
        text = fmt::format("{} {}: {}{}.", best.contender.title, better.empty() ? m.worse : m.better, change,
                           memory_clause(best, e.call));
    } else if (worse.size() == rows.size()) {
        text = fmt::format("Each of the {} allocators measured {}: the best, {}, takes {}.", rows.size(),
                           m.worse, best.contender.title, change);
    } else {
        const std::string noise = noise_text(result, m.name);
        text = fmt::format("Of {} measured, none {}: the best, {}, takes {} (noise floor {}).",
                           figures::counted(rows.size(), "allocator"), m.no_better, best.contender.title,
                           unclaimed(e, m.noun), noise.empty() ? "unknown" : noise);
    }
    if (result.judged_by == cpu_metric) {
        text += fmt::format(" Wall time is too noisy here (±{}); judged by CPU time.",
                            percent(wall_noise(result, best)));
    }
    return text;
}

void add_time_findings(run_result& result) {
    const judged_metric m = metric_of(result);
    const std::vector<const run_row*> rows = ranked(result, m.name);
    auto better = with_call(rows, m.name, verdict::better);
    if (better.size() > 1) {
        better.erase(better.begin()); // which the verdict names
        result.findings.push_back(
            fmt::format("{} than the default too: {}.", m.less, listed(better, m.name)));
    }
    if (const auto worse = with_call(rows, m.name, verdict::worse); !worse.empty() && rows.size() > 1) {
        result.findings.push_back(fmt::format("{}: {}.", m.more, listed(worse, m.name)));
    }
    for (const char* const name : {no_trim_name, huge_name}) {
        const run_row* setting = result.find(name);
        const estimate* e = setting == nullptr ? nullptr : setting->find_estimate(m.name);
        if (e != nullptr && e->call == verdict::better) {
            result.findings.push_back(
                fmt::format("With {} in the environment, glibc takes {} {}; that needs no other allocator.",
                            fmt::join(setting->contender.environment, " "), change_text(e->ratio), m.noun));
        }
    }
}

std::string size_text(double bytes) {
    return figures::quantity{.what = unit::bytes, .value = bytes, .digits = 2}.text();
}

void add_memory_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "peak_rss_bytes");
    if (base == nullptr || rows.empty() || base->find_estimate("peak_rss_bytes") == nullptr) {
        return;
    }
    const double now = base->find_estimate("peak_rss_bytes")->median;
    const auto sentence = [&](const char* start, const run_row& r) {
        const estimate& e = *r.find_estimate("peak_rss_bytes");
        result.findings.push_back(fmt::format("{}: {}, {} ({} instead of {}).", start, r.contender.title,
                                              change_with_interval(e, "memory"), size_text(e.median),
                                              size_text(now)));
    };
    if (rows.front()->find_estimate("peak_rss_bytes")->call == verdict::better) {
        sentence("Least memory at the peak", *rows.front());
    } else {
        result.findings.push_back(
            fmt::format("None takes measurably less memory than the default's {}.", size_text(now)));
    }
    if (rows.back()->find_estimate("peak_rss_bytes")->call == verdict::worse) {
        sentence("Most memory at the peak", *rows.back());
    }
}

/// CPU time where it says something else than wall time.
void add_cpu_findings(run_result& result) {
    const std::vector<const run_row*> rows = ranked(result, cpu_metric);
    if (rows.empty() || result.judged_by == cpu_metric ||
        !with_call(ranked(result, wall_metric), wall_metric, verdict::better).empty()) {
        return;
    }
    if (const estimate& e = *rows.front()->find_estimate(cpu_metric); e.call == verdict::better) {
        result.findings.push_back(fmt::format("{} takes {}, though not measurably less time.",
                                              rows.front()->contender.title,
                                              change_with_interval(e, "CPU time")));
    }
}

void add_fault_findings(run_result& result) {
    const run_row* base = result.find(default_name);
    const std::vector<const run_row*> rows = ranked(result, "minor_faults");
    if (base == nullptr || rows.empty() || base->find_estimate("minor_faults") == nullptr) {
        return;
    }
    const double now = base->find_estimate("minor_faults")->median;
    const estimate& e = *rows.front()->find_estimate("minor_faults");
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
    if (result.left_behind != 0) {
        result.warnings.push_back(fmt::format("the program left processes running, {} over all runs; they "
                                              "were ended, and what they did after its end is not measured",
                                              result.left_behind));
    }
    if (const auto floor = result.noise_floor.find(wall_metric); floor != result.noise_floor.end()) {
        if (floor->second.p < suspicious_p) {
            result.warnings.push_back(
                fmt::format("the two copies of the default differ more than chance explains (p-value {}): "
                            "something disturbs this machine regularly",
                            written(unit::chance, floor->second.p)));
        }
        if (floor->second.floor > noisy && result.judged_by != cpu_metric) { // which the verdict says there
            result.warnings.push_back(fmt::format(
                "wall time is noisy on this machine: a saving below {} or a cost below {} cannot be seen in "
                "it; a larger --budget or fewer other programs help",
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
