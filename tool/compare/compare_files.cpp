// SPDX-License-Identifier: Apache-2.0
#include "compare_files.hpp"

#include "../experiment/rounds.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace linn::tool {
namespace {

/// The differences that make figures of two machines incomparable.
constexpr const char* machine_fields[] = {"cpu", "cpus", "counter"};
/// What may change figures on one machine.
constexpr const char* surrounding_fields[] = {"kernel", "transparent_huge_pages", "compiler", "build",
                                              "environment"};

std::string field(const result_file& file, const char* name) {
    const auto found = file.machine.find(name);
    return found == file.machine.end() ? "unknown" : found->second;
}

bool differs(const result_file& a, const result_file& b, const char* name) {
    return a.machine.contains(name) && b.machine.contains(name) && field(a, name) != field(b, name);
}

/// The first thing that was asked for differently, in words.
std::string different_setting(const result_file& a, const result_file& b) {
    std::vector<std::string> found;
    for (const auto& [name, value] : a.setting) {
        if (const auto other = b.setting.find(name); other != b.setting.end() && other->second != value) {
            found.push_back(fmt::format("{} ({} and {})", name, value, other->second));
        }
    }
    return fmt::format("{}", fmt::join(found, ", "));
}

bool chosen(const std::vector<std::string>& wanted, const std::string& name) {
    return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
}

bool chosen(const compare_options& o, const series_name& name) {
    return chosen(o.scenarios, name.scenario) && chosen(o.contenders, name.contender) &&
           chosen(o.measures, name.measure);
}

/// The smallest p-value that the test can give for samples of these sizes.
double least_p(std::size_t a, std::size_t b) {
    double ways = 1; // binomial coefficient a + b over a
    for (std::size_t i = 1; i <= a; ++i) {
        ways *= static_cast<double>(b + i) / static_cast<double>(i);
    }
    return std::min(1.0, 2 / ways);
}

/// Whether samples of these sizes can show a difference at all, where so many tests share `alpha`.
bool can_tell(std::size_t a, std::size_t b, std::size_t tests, double alpha) {
    return std::min(a, b) >= rounds_to_judge && least_p(a, b) * static_cast<double>(tests) < alpha;
}

series_change compare_series(const series_name& name, const measured_series& before,
                             const measured_series& after, const compare_options& options) {
    const bool by_ratio = options.by == compare_by::ratio;
    const std::vector<double>& a = by_ratio ? before.ratios : before.values;
    const std::vector<double>& b = by_ratio ? after.ratios : after.values;
    series_change c;
    c.name = name;
    c.unit = by_ratio ? "ratio" : before.unit;
    c.old_median = median(a);
    c.new_median = median(b);
    c.old_count = a.size();
    c.new_count = b.size();
    c.noise_floor = std::max(before.noise_floor, after.noise_floor);
    if (minimum(a) > 0) {
        c.change = ratio_of_medians(b, a, options.level);
        for (double* bound : {&c.change.middle, &c.change.low, &c.change.high}) {
            *bound -= 1;
        }
    } else if (c.old_median > 0) {
        c.change.middle = c.change.low = c.change.high = c.new_median / c.old_median - 1;
    } else if (c.new_median > 0) {
        c.change.middle = c.change.low = c.change.high = std::numeric_limits<double>::infinity();
    }
    c.p = mann_whitney(a, b);
    return c;
}

/// Holm's adjustment over all of them, then what each of them is called.
void decide(std::vector<series_change>& series, const compare_options& options) {
    std::vector<double> p;
    for (const series_change& c : series) {
        p.push_back(c.p);
    }
    const std::vector<double> adjusted = holm(p);
    const double alpha = 1 - options.level;
    for (std::size_t i = 0; i != series.size(); ++i) {
        series_change& c = series[i];
        c.p_adjusted = adjusted[i];
        const double size = std::abs(c.change.middle);
        // 3 % more and 3 % less are the same distance in ratios, and the floor is a ratio.
        const double distance = c.change.middle < 0 ? 1 / (1 + c.change.middle) - 1 : size;
        if (!can_tell(c.old_count, c.new_count, series.size(), alpha)) {
            c.kind = size > options.threshold ? change_kind::undecided : change_kind::unchanged;
        } else if (c.p_adjusted < alpha && size > options.threshold && distance > c.noise_floor) {
            c.kind = c.change.middle > 0 ? change_kind::regression : change_kind::improvement;
        }
    }
}

std::string percent(double share) {
    return std::isinf(share) ? "from nothing" : figures::written(figures::unit::change, share);
}

const series_change* worst(const std::vector<series_change>& series, change_kind kind) {
    const series_change* found = nullptr;
    for (const series_change& c : series) {
        if (c.kind == kind &&
            (found == nullptr || std::abs(c.change.middle) > std::abs(found->change.middle))) {
            found = &c;
        }
    }
    return found;
}

std::string counted(std::size_t n, const char* noun) {
    const std::string text = figures::counted(n, noun);
    return n == 0 ? "no" + text.substr(1) : text;
}

/// How many samples a side would be enough for `tests` tests, if both had as many.
std::size_t enough_samples(std::size_t tests, double alpha) {
    std::size_t n = rounds_to_judge;
    while (!can_tell(n, n, tests, alpha)) {
        ++n;
    }
    return n;
}

/// The rounds of the side that has fewer, of the row that has most.
std::size_t fewest_rounds(const std::vector<series_change>& series) {
    std::size_t most = 0;
    for (const series_change& c : series) {
        most = std::max(most, std::min(c.old_count, c.new_count));
    }
    return most;
}

std::string verdict_of(const file_comparison& r) {
    const std::size_t total = r.series.size();
    const double alpha = 1 - r.options.level;
    if (r.nothing_decided()) {
        return "Nothing can be said: " +
               text_of({.done = fewest_rounds(r.series),
                        .needed = enough_samples(total, alpha),
                        .others = total > 1 ? "compare fewer rows" : ""},
                       fmt::format("to compare {} of two files", counted(total, "row")));
    }
    std::string text = counted(r.count(change_kind::regression), "regression");
    text[0] = text[0] == 'n' ? 'N' : text[0];
    text += fmt::format(" in {}", counted(total, "row"));
    if (const series_change* c = worst(r.series, change_kind::regression)) {
        text += fmt::format("; the worst is {}: {}", describe(c->name), percent(c->change.middle));
        if (c->change.is_known() && std::isfinite(c->change.middle)) {
            text += fmt::format(" ({} to {})", percent(c->change.low), percent(c->change.high));
        }
    }
    if (const series_change* c = worst(r.series, change_kind::improvement)) {
        text +=
            fmt::format("; {}, the best is {}: {}", counted(r.count(change_kind::improvement), "improvement"),
                        describe(c->name), percent(c->change.middle));
    }
    return text;
}

void add_machine_warnings(file_comparison& r, const std::vector<std::string>& machines) {
    const result_file& a = r.old_file;
    const result_file& b = r.new_file;
    if (!machines.empty()) {
        r.warnings.push_back(
            fmt::format("the machines differ in {}; {}", fmt::join(machines, ", "),
                        r.options.by == compare_by::ratio
                            ? fmt::format("compared: ratios to {} of the same file", a.reference())
                            : std::string{"compared: the values themselves, as asked; --by ratio cancels "
                                          "what the machine does to all of them alike"}));
    }
    for (const char* name : surrounding_fields) {
        if (differs(a, b, name)) {
            r.warnings.push_back(fmt::format("{} differs: {} and {}", name, field(a, name), field(b, name)));
        }
    }
    for (const result_file* file : {&a, &b}) {
        if (!file->complete) {
            r.warnings.push_back(fmt::format("{} is partial: its run was stopped by a signal", file->path));
        }
    }
}

void add_series_warnings(file_comparison& r) {
    if (const std::size_t n = r.count(change_kind::undecided); n != 0 && !r.nothing_decided()) {
        r.warnings.push_back(fmt::format(
            "{} changed by more than the threshold, but {} too few rounds to tell that from chance",
            counted(n, "row"), figures::agreeing(n, "has", "have")));
    }
    if (r.options.by != compare_by::absolute) {
        return;
    }
    const auto moved = std::ranges::count_if(r.series, [&](const series_change& c) {
        return r.old_file.series.at(c.name).is_reference &&
               (c.kind == change_kind::regression || c.kind == change_kind::improvement);
    });
    if (moved != 0) {
        r.warnings.push_back(
            fmt::format("{} itself changed in {}, so the machine or the program did; --by ratio cancels that",
                        r.old_file.reference(), counted(static_cast<std::size_t>(moved), "row")));
    }
}

/// In what the machines of two results differ so that their values cannot be compared; empty: in nothing.
std::vector<std::string> different_machine(const result_file& old_file, const result_file& new_file) {
    std::vector<std::string> machines;
    for (const char* name : machine_fields) {
        if (differs(old_file, new_file, name)) {
            machines.push_back(
                fmt::format("{} ({} and {})", name, field(old_file, name), field(new_file, name)));
        }
    }
    return machines;
}

/// Why two results cannot be compared: another schema, or other work; empty: they can.
std::string why_not_comparable(const result_file& old_file, const result_file& new_file) {
    if (old_file.is_bench() != new_file.is_bench()) {
        return fmt::format("{} is of schema \"{}\" and {} of \"{}\"", old_file.path, old_file.schema,
                           new_file.path, new_file.schema);
    }
    const std::string setting = different_setting(old_file, new_file);
    return setting.empty() ? std::string{}
                           : fmt::format("{} and {} measured different things: {}", old_file.path,
                                         new_file.path, setting);
}

} // namespace

const char* to_string(change_kind kind) noexcept {
    return word_of(kind, {"regression", "improvement", "unchanged", "undecided"});
}

std::string describe(const series_name& name) {
    std::string text = name.scenario.empty() ? "" : name.scenario + ", ";
    text += name.variant.empty() ? name.contender : name.variant + " on " + name.contender;
    return text + ", " + name.measure;
}

std::size_t file_comparison::count(change_kind kind) const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(series, [&](const series_change& c) { return c.kind == kind; }));
}

bool file_comparison::nothing_decided() const noexcept {
    const double alpha = 1 - options.level;
    return !series.empty() && std::ranges::all_of(series, [&](const series_change& c) {
        return !can_tell(c.old_count, c.new_count, series.size(), alpha);
    });
}

file_comparison compare_files(result_file old_file, result_file new_file, const compare_options& options) {
    file_comparison r;
    r.options = options;
    r.old_file = std::move(old_file);
    r.new_file = std::move(new_file);
    const result_file& a = r.old_file;
    const result_file& b = r.new_file;
    r.problem = why_not_comparable(a, b);
    if (!r.problem.empty()) {
        return r;
    }
    const std::vector<std::string> machines = different_machine(a, b);
    if (options.by == compare_by::automatic) {
        r.options.by = machines.empty() ? compare_by::absolute : compare_by::ratio;
    }
    const bool by_ratio = r.options.by == compare_by::ratio;

    for (const auto& [name, before] : a.series) {
        if (before.is_control || !chosen(options, name)) {
            continue;
        }
        const auto after = b.series.find(name);
        if (after == b.series.end()) {
            r.vanished.push_back(name);
        } else if (by_ratio &&
                   (before.is_reference || before.ratios.empty() || after->second.ratios.empty())) {
            continue;
        } else {
            r.series.push_back(compare_series(name, before, after->second, r.options));
        }
    }
    for (const auto& [name, after] : b.series) {
        if (!after.is_control && chosen(options, name) && !a.series.contains(name)) {
            r.appeared.push_back(name);
        }
    }
    if (r.series.empty()) {
        r.problem = fmt::format("{} and {} have no row in common{}", a.path, b.path,
                                by_ratio ? fmt::format(" that has a ratio to {}", a.reference()) : "");
        return r;
    }
    decide(r.series, r.options);
    add_machine_warnings(r, machines);
    add_series_warnings(r);
    r.verdict = verdict_of(r);
    return r;
}

} // namespace linn::tool
