// SPDX-License-Identifier: Apache-2.0
#include "compare_files.hpp"

#include "../experiment/contenders.hpp"
#include "../experiment/rounds.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace linn::tool {
namespace {

using nlohmann::json;

/// What is wrong with a file, without its name.
class bad_file : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A string as it is, anything else as JSON.
std::string shown(const json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json member(const json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? json{} : *found;
}

double number_or_0(const json& value) {
    return value.is_null() ? 0 : value.get<double>();
}

/// @throws bad_file for what has no samples, or some that no measurement has, and where the file has one of that name already
void add_series(result_file& file, series_name name, measured_series series) {
    const auto is_measured = [](double v) { return std::isfinite(v) && v >= 0; };
    if (series.values.empty() || !std::ranges::all_of(series.values, is_measured)) {
        throw bad_file{fmt::format("the samples of {} of {} are missing, negative or not finite",
                                   name.measure, name.contender)};
    }
    const std::string shown =
        fmt::format("{} {} {} {}", name.scenario, name.variant, name.contender, name.measure);
    if (!file.series.emplace(std::move(name), std::move(series)).second) {
        throw bad_file{"it has two rows of the same name: " + shown};
    }
}

/// What was measured, by round.
using by_round = std::map<double, double>;

/// The values, and those of rounds that the reference has too, divided by its own.
measured_series make_series(const by_round& values, const by_round& reference) {
    measured_series series;
    for (const auto& [round, value] : values) {
        series.values.push_back(value);
        const auto same = reference.find(round);
        if (same != reference.end() && std::isfinite(value / same->second)) { // not to nothing
            series.ratios.push_back(value / same->second);
        }
    }
    return series;
}

void read_scenario(const json& scenario, double cycles_per_ns, result_file& file) {
    const std::string name = scenario.at("name");
    const std::string baseline = scenario.at("baseline");
    std::map<std::string, by_round> reference; // by phase
    std::vector<std::pair<series_name, by_round>> found;
    for (const json& row : scenario.at("rows")) {
        const std::string contender = row.at("contender");
        const std::string variant = row.at("variant");
        for (const auto& [phase, figures] : row.at("phases").items()) {
            if (figures.is_null()) {
                continue; // the variant has no such phase
            }
            by_round values;
            for (const json& sample : figures.at("cycles").at("samples")) {
                values.emplace(values.size(), sample.get<double>() / cycles_per_ns);
            }
            if (contender == baseline_name && variant == baseline) {
                reference[phase] = values;
            }
            found.emplace_back(series_name{name, variant, contender, phase}, std::move(values));
        }
    }
    for (const auto& [of, values] : found) {
        measured_series series = make_series(values, reference[of.measure]);
        series.unit = "ns";
        series.noise_floor = number_or_0(member(scenario.at("noise_floor"), of.measure));
        series.is_reference = of.contender == baseline_name && of.variant == baseline;
        series.is_control = of.contender == control_name;
        add_series(file, of, std::move(series));
    }
}

void read_bench(const json& document, result_file& file) {
    const double cycles_per_ns = document.at("machine").at("cycles_per_ns");
    // What decides how much work an operation is; the number of rounds, their order and the CPU do not.
    for (const char* option : {"container", "work"}) {
        file.setting[option] = shown(document.at("options").at(option));
    }
    for (const json& scenario : document.at("scenarios")) {
        read_scenario(scenario, cycles_per_ns, file);
    }
}

by_round read_samples(const json& row, const std::string& metric) {
    by_round values;
    for (const json& sample : row.at("samples")) {
        if (const json value = member(sample.at("values"), metric); !value.is_null()) {
            values[sample.at("round").get<double>()] = value.get<double>();
        }
    }
    return values;
}

/// The arguments after the program, and the program without its folder: a new build may lie elsewhere.
std::string command_text(const json& program) {
    const auto arguments = program.at("arguments").get<std::vector<std::string>>();
    std::string text = std::filesystem::path{program.at("path").get<std::string>()}.filename().string();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        text += ' ' + arguments[i];
    }
    return text;
}

void read_run(const json& document, result_file& file) {
    file.setting["program"] = command_text(document.at("program"));
    for (const char* option : {"input", "prepare", "ready", "client"}) {
        const json value = member(document.at("options"), option);
        file.setting[option] = value.is_null() ? "none" : shown(value);
    }
    const json& rows = document.at("rows");
    for (const json& metric : document.at("metrics")) {
        if (!metric.at("compared").get<bool>()) {
            continue;
        }
        const std::string name = metric.at("name");
        const std::string unit = metric.at("unit");
        const json floor = member(document.at("noise"), name);
        by_round reference;
        for (const json& row : rows) {
            if (row.at("name") == default_name) {
                reference = read_samples(row, name);
            }
        }
        for (const json& row : rows) {
            const by_round values = read_samples(row, name);
            if (values.empty()) {
                continue; // it failed at once, or the kernel does not let this be counted
            }
            measured_series series = make_series(values, reference);
            series.unit = unit == "count" ? "" : unit;
            series.noise_floor = floor.is_null() ? 0 : floor.at("floor").get<double>();
            const std::string contender = row.at("name");
            series.is_reference = contender == default_name;
            series.is_control = contender == default_again_name;
            add_series(file, {"", "", contender, name}, std::move(series));
        }
    }
}

result_file read_document(const json& document) {
    if (!document.is_object() || !document.contains("schema")) {
        throw bad_file{"it has no \"schema\": it is not a result of linn"};
    }
    result_file file;
    file.schema = document.at("schema");
    if (file.schema != "linn.bench/2" && file.schema != "linn.run/2") {
        throw bad_file{fmt::format(
            "its schema is \"{}\"; compare reads \"linn.bench/2\" and \"linn.run/2\", which linn bench "
            "--json and linn run --json of this version write",
            file.schema)};
    }
    file.version = document.at("version");
    file.started = document.at("started");
    file.complete = document.at("complete");
    for (const auto& [name, value] : document.at("machine").items()) {
        file.machine[name] = shown(value);
    }
    (file.is_bench() ? read_bench : read_run)(document, file);
    if (file.series.empty()) {
        throw bad_file{"it holds no measurement"};
    }
    return file;
}

/// What a message of the library says, without its number and without bytes of the file.
std::string reason_of(const json::exception& error) {
    std::string text = error.what();
    text.erase(std::min(text.find("; last read:"), text.size()));
    return text.substr(std::min(text.find("] ") + 2, text.size()));
}

} // namespace

result_file read_result_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    try {
        result_file file = read_document(json::parse(text_of_file(path)));
        file.path = name;
        return file;
    } catch (const bad_file& error) {
        throw unusable_input{fmt::format("cannot use {}: {}", name, error.what())};
    } catch (const json::parse_error& error) {
        throw unusable_input{fmt::format("cannot use {}: it is not valid JSON: {}", name, reason_of(error))};
    } catch (const json::exception& error) {
        throw unusable_input{fmt::format("cannot use {}: it is not what linn wrote: {}; measure again", name,
                                         reason_of(error))};
    }
}

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
