// SPDX-License-Identifier: Apache-2.0
#include "../../experiment/rounds.hpp"
#include "../../measure/process.hpp"
#include "../../measure/statistics.hpp"
#include "../../measure/suggest.hpp"
#include "../../run/run.hpp"
#include "../plots/plots.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

double seconds(std::chrono::milliseconds t) {
    return std::chrono::duration<double>{t}.count();
}

ordered_json options_json(const run_options& o) {
    return {{"only", o.only},
            {"rounds", known_or_null(o.rounds != 0, o.rounds)},
            {"least_rounds", o.least_rounds},
            {"most_rounds", o.most_rounds},
            {"warm_up_rounds", o.warm_up_rounds},
            {"precision", o.precision},
            {"level", o.level},
            {"budget_s", o.budget.count()},
            {"timeout_s", seconds(o.launch.timeout)},
            {"seed", o.seed},
            {"cpus", text_or_null(o.launch.cpus)},
            {"input", text_or_null(o.launch.input.string())},
            {"prepare", text_or_null(o.prepare)},
            {"ready", text_or_null(o.launch.ready)},
            {"client", text_or_null(o.launch.client)},
            {"compare_output", o.compare_output},
            {"ignore_exit_status", o.ignore_exit_status},
            {"wrapper", o.keep_wrappers}};
}

ordered_json program_json(const run_result& result) {
    const target& t = result.what;
    return {{"command", t.command},           {"path", t.spec.program.string()},
            {"arguments", t.spec.arguments},  {"directory", text_or_null(t.spec.directory.string())},
            {"wrappers", t.wrappers},         {"also_ran", t.also_ran},
            {"own_provider", t.own_provider}, {"remarks", t.remarks}};
}

const char* unit_word(const metric_info& m) {
    return m.unit == unit::nanoseconds ? "ns" : m.unit == unit::bytes ? "bytes" : "count";
}

ordered_json metric_json(const metric_info& m) {
    return {{"name", m.name}, {"title", m.title}, {"unit", unit_word(m)}, {"compared", m.is_compared}};
}

ordered_json estimate_json(const run_row& row, const estimate& e) {
    ordered_json json{{"median", e.median}, {"low", e.low}, {"high", e.high}};
    if (row.contender.is_default()) {
        return json;
    }
    json["ratio"] = e.ratio;
    json["ratio_low"] = e.ratio_low;
    json["ratio_high"] = e.ratio_high;
    json["p"] = e.p;
    if (row.contender.is_control()) {
        return json;
    }
    json["p_adjusted"] = e.p_adjusted;
    json["call"] = to_string(e.call);
    return json;
}

ordered_json name_json(const run_row& row) {
    const run_contender& c = row.contender;
    return {{"name", c.name},
            {"title", c.title},
            {"version", text_or_null(c.version)},
            {"library", text_or_null(c.library.string())},
            {"behind", text_or_null(c.behind.string())},
            {"environment", c.environment},
            {"providers", c.providers},
            {"notes", c.notes},
            {"repeated", row.repeated},
            {"failure", text_or_null(row.failure)},
            {"last_output", text_or_null(row.last_output)},
            {"output_difference", text_or_null(row.output_difference)}};
}

ordered_json run_sample_json(const run_sample& s) {
    return {
        {"round", s.round}, {"disturbed", s.disturbed}, {"same_output", s.same_output}, {"values", s.values}};
}

ordered_json run_row_json(const run_row& row) {
    ordered_json json = name_json(row);
    json["estimates"] = object_json(row.estimates, [&](const estimate& e) { return estimate_json(row, e); });
    json["samples"] = list_json(row.samples, run_sample_json);
    return json;
}

ordered_json noise_json(const noise& n) {
    return {{"ratio", n.ratio}, {"ratio_low", n.low}, {"ratio_high", n.high}, {"p", n.p}, {"floor", n.floor}};
}

} // namespace

ordered_json run_lines(const run_result& result) {
    ordered_json lines = ordered_json::array();
    for (const run_row& row : result.rows) {
        for (const metric_info& m : metrics()) {
            const std::vector<double> values = row.values(m.name);
            if (values.empty()) {
                continue;
            }
            ordered_json line = name_json(row);
            line.update({{"contender", row.contender.name},
                         {"metric", m.name},
                         {"unit", unit_word(m)},
                         {"rounds", values.size()},
                         {"median", median(values)},
                         {"min", minimum(values)},
                         {"command", shell_words(result.what.command)},
                         {"complete", result.complete()},
                         {"started", result.started},
                         {"version", version_text()},
                         {"cpu", result.machine.cpu_model}});
            if (const estimate* e = row.find_estimate(m.name); e != nullptr) {
                line.update(estimate_json(row, *e));
                line["median"] = median(values); // of all runs
            }
            if (const auto floor = result.noise_floor.find(std::string{m.name});
                floor != result.noise_floor.end()) {
                line["noise_floor"] = floor->second.floor;
            }
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

/// Those of the measurement, and what the program wrote otherwise under an allocator.
std::vector<std::string> warnings_of(const run_result& result) {
    std::vector<std::string> list;
    for (const run_row& row : result.rows) {
        if (!row.output_difference.empty()) {
            list.push_back(fmt::format("the output differs under {}: {}. The program may print an address, "
                                       "or read memory that it never wrote",
                                       row.contender.title, row.output_difference));
        }
    }
    list.insert(list.end(), result.warnings.begin(), result.warnings.end());
    return list;
}

ordered_json run_fields(const run_result& result) {
    return {{"schema", "linn.run/2"},
            {"version", version_text()},
            {"started", result.started},
            {"seconds", result.seconds},
            {"measured_seconds", result.measured_seconds},
            {"complete", result.complete()},
            {"complete_rounds", result.complete_rounds},
            {"stopped", to_string(result.stopped)},
            {"problem", text_or_null(result.problem)},
            {"verdict", result.verdict},
            {"judged_by", result.judged_by},
            {"findings", result.findings},
            {"warnings", warnings_of(result)},
            {"program", program_json(result)},
            {"options", options_json(result.options)},
            {"machine", machine_json(result.machine)},
            {"outputs_compared", result.outputs_compared},
            {"left_behind", result.left_behind},
            {"metrics", list_json(metrics(), metric_json)},
            {"noise", object_json(result.noise_floor, noise_json)},
            {"rows", list_json(result.rows, run_row_json)},
            {"left_out", list_json(result.left_out, [](const left_out_contender& l) {
                 return ordered_json{{"name", l.name}, {"reason", l.reason}};
             })}};
}

cell verdict_cell(const run_row& row, const estimate& e, std::string_view metric) {
    if (row.contender.is_default()) {
        return {};
    }
    if (row.contender.is_control()) {
        return "(control)";
    }
    const bool is_time = metric == wall_metric;
    switch (e.call) {
    case verdict::better:
        return cell{is_time ? "faster" : "less"}.styled(emphasis::good);
    case verdict::worse:
        return cell{is_time ? "slower" : "more"}.styled(emphasis::bad);
    case verdict::no_difference:
        return "tie";
    case verdict::not_judged:
        break;
    }
    return "not judged";
}

picture others_plot(const run_result& result, const metric_info& shown) {
    std::vector<const metric_info*> others;
    for (const metric_info& m : metrics()) {
        if (m.is_compared && m.name != shown.name) {
            others.push_back(&m);
        }
    }
    return {[&result, others] { return html::metrics_plot(result, others); },
            "The other metrics that are compared, drawn alike; left is less."};
}

std::string noise_remark(const run_result& result, std::initializer_list<std::string_view> of) {
    std::vector<std::string> floors;
    for (const std::string_view name : of) {
        if (const std::string text = noise_text(result, name); !text.empty()) {
            floors.push_back(fmt::format("{} {}", metric_named(name).title, text));
        }
    }
    return floors.empty()
               ? std::string{}
               : fmt::format(
                     "noise floor, the default against itself: {}; smaller differences are not claimed, "
                     "nor those that Wilcoxon's test with Holm's correction does not tell from chance",
                     fmt::join(floors, ", "));
}

facts facts_of(const run_result& result) {
    const run_options& o = result.options;
    facts f{{{"Command", shell_words(result.what.command)},
             {"Program", result.what.spec.program.string()},
             {"Reached through", shell_words(result.what.wrappers)},
             {"It also ran", shell_words(result.what.also_ran)},
             {"Its own allocator", result.what.own_provider},
             {"Remarks", fmt::format("{}", fmt::join(result.what.remarks, "; "))},
             {"Input", o.launch.input.string()},
             {"Before every run", o.prepare},
             {"Client", o.launch.client},
             {"CPUs", o.launch.cpus.empty() ? "not pinned" : o.launch.cpus},
             {"Rounds",
              fmt::format("{} complete, after {} to warm up", result.complete_rounds, o.warm_up_rounds)},
             {"Intervals", level_text(o.level)},
             {"Seed of the order", std::to_string(o.seed)},
             {"Started", date_text(result.started)},
             {"Took", figures::elapsed_text(result.seconds)}}};
    for (auto& entry : machine_entries(result.machine)) {
        f.entries.push_back(std::move(entry));
    }
    return f;
}

namespace {

/// "stopped by the budget of 60 s".
std::string why_it_stopped(const run_result& result) {
    const run_options& o = result.options;
    switch (result.stopped) {
    case stop_reason::precise:
        return "stopped when every ratio was known to +-" + figure_of(unit::share, o.precision).text();
    case stop_reason::budget:
        return "stopped by the budget of " + figures::seconds_text(static_cast<double>(o.budget.count()));
    case stop_reason::rounds:
        return o.rounds != 0 ? "as asked for" : "the most there are";
    case stop_reason::interrupted:
        return "interrupted";
    case stop_reason::nothing_to_compare:
        break;
    }
    return "nothing to compare";
}

/// How many runs were repeated because the machine was disturbed, as a sentence; empty for none.
std::string disturbance_of(const run_result& result) {
    unsigned repeated = 0;
    std::size_t disturbed = 0;
    for (const run_row& row : result.rows) {
        repeated += row.repeated;
        disturbed += static_cast<std::size_t>(
            std::ranges::count_if(row.samples, [](const run_sample& s) { return s.disturbed; }));
    }
    if (repeated + disturbed == 0) {
        return {};
    }
    return fmt::format("repeated because the machine was disturbed: {}; kept although disturbed: {}",
                       counted(repeated, "run"), disturbed);
}

table proof_of(const run_result& result) {
    table t{"What was preloaded, and who provided memory",
            {{.heading = "allocator", .is_text = true},
             {.heading = "version", .is_text = true},
             {.heading = "library", .is_text = true},
             {.heading = "proven provider", .is_text = true},
             {.heading = "notes", .is_text = true}}};
    for (const run_row& r : result.rows) {
        const run_contender& c = r.contender;
        std::vector<std::string> notes = c.notes;
        notes.insert(notes.end(), c.environment.begin(), c.environment.end());
        if (r.repeated != 0) {
            notes.push_back(fmt::format("{} repeated", counted(r.repeated, "disturbed run")));
        }
        t.add({c.title, c.version, c.library.empty() ? "nothing preloaded" : c.library.string(),
               providers_text(c.providers), fmt::format("{}", fmt::join(notes, "; "))});
    }
    return t;
}

constexpr const char* memory_metric = "peak_rss_bytes";

/// Rows that have the time that the verdict speaks of, the smallest ratio first.
std::vector<const run_row*> sorted_rows(const run_result& result) {
    const std::string& metric = result.judged_by;
    std::vector<const run_row*> rows;
    for (const run_row& row : result.rows) {
        if (row.find_estimate(metric) != nullptr) {
            rows.push_back(&row);
        }
    }
    std::ranges::stable_sort(rows, [&](const run_row* a, const run_row* b) {
        return a->find_estimate(metric)->ratio < b->find_estimate(metric)->ratio;
    });
    return rows;
}

scale time_scale(const std::vector<const run_row*>& rows, const char* metric) {
    std::vector<double> medians;
    for (const run_row* r : rows) {
        if (const estimate* e = r->find_estimate(metric); e != nullptr) {
            medians.push_back(e->median);
        }
    }
    return common_scale(medians);
}

cell ratio_cell(const run_row& row, const estimate& e) {
    return row.contender.is_default() ? cell{"1"} : cell{figure_of(unit::ratio, e.ratio)};
}

cell count_cell(const run_row& row, std::string_view metric) {
    const estimate* e = row.find_estimate(metric);
    return e == nullptr ? cell{} : cell{figure_of(unit::about, e->median)};
}

/// "<" and ">" behind a ratio of memory that differs for certain.
cell marked_ratio(const run_row& row, const estimate& e) {
    cell c = ratio_cell(row, e);
    const char* const mark = e.call == verdict::better ? "<" : e.call == verdict::worse ? ">" : " ";
    (c.figure ? c.after : c.before) += mark;
    return c;
}

table main_table(const run_result& result) {
    const std::vector<const run_row*> rows = sorted_rows(result);
    const bool is_cpu = result.judged_by == cpu_metric;
    const char* const judged = is_cpu ? cpu_metric : wall_metric;
    const char* const other = is_cpu ? wall_metric : cpu_metric;
    const char* const heading = is_cpu ? "CPU time" : "wall time";
    const scale in = time_scale(rows, judged);
    const scale other_in = time_scale(rows, other);
    table t{fmt::format("{} and peak memory of every allocator", capitalised(heading)),
            {{.heading = "allocator", .is_text = true},
             {.heading = std::string{in.name}, .group = heading},
             {.heading = "ratio", .group = heading},
             {.heading = level_text(result.options.level), .group = heading, .droppable = 2},
             {.heading = "verdict", .is_text = true},
             {.heading = fmt::format("{} {}", is_cpu ? "wall" : "CPU", other_in.name), .droppable = 4},
             {.heading = "MiB", .group = "peak memory", .droppable = 1},
             {.heading = "ratio", .group = "peak memory", .droppable = 1},
             {.heading = "faults", .droppable = 5},
             {.heading = "switches", .droppable = 6}}};
    for (const run_row* r : rows) {
        const estimate& e = *r->find_estimate(judged);
        const estimate* others = r->find_estimate(other);
        const estimate* memory = r->find_estimate(memory_metric);
        t.add({r->contender.title, figure_of(unit::nanoseconds, e.median, in), ratio_cell(*r, e),
               r->contender.is_default() ? cell{} : cell{bounds_of(unit::ratio, e.ratio_low, e.ratio_high)},
               verdict_cell(*r, e, judged),
               others == nullptr ? cell{} : cell{figure_of(unit::nanoseconds, others->median, other_in)},
               memory == nullptr ? cell{} : cell{figure_of(unit::bytes, memory->median, mebibytes)},
               memory == nullptr ? cell{} : marked_ratio(*r, *memory), count_cell(*r, "minor_faults"),
               count_cell(*r, "voluntary_switches")},
              e.call == verdict::better ? emphasis::good : emphasis::none);
    }
    return t;
}

std::vector<std::string> remarks_of(const run_result& result) {
    const std::string level = level_text(result.options.level);
    std::vector<std::string> lines{
        fmt::format("medians of the runs; ratios to the default in the same round{}",
                    result.complete_rounds >= rounds_to_judge
                        ? fmt::format(", with the {} interval of their median; < and > mark memory that is "
                                      "less or more for certain",
                                      level)
                        : std::string{}),
        noise_remark(result, {result.judged_by, memory_metric}),
        "in every run, malloc was proven to be the allocator's", disturbance_of(result)};
    std::erase(lines, "");
    return lines;
}

std::vector<block> losses_of(const run_result& result) {
    std::vector<block> blocks;
    for (const run_row& row : result.rows) {
        if (row.failure.empty()) {
            continue;
        }
        blocks.push_back({paragraph{fmt::format("failed: {}: {}", row.contender.title, row.failure)}});
        if (!row.last_output.empty()) {
            blocks.push_back({code{row.last_output}});
        }
    }
    list left_out;
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const left_out_contender& l : result.left_out) {
        by_reason[l.is_missing ? "not installed; see 'linn allocators'" : l.reason].push_back(l.name);
    }
    for (const auto& [reason, names] : by_reason) {
        left_out.lines.push_back(fmt::format("left out: {}: {}", fmt::join(names, ", "), reason));
    }
    blocks.push_back({std::move(left_out)});
    return blocks;
}

std::string alert_of(const run_result& result) {
    std::string alert;
    if (!result.complete()) {
        alert = fmt::format("partial: stopped by {} after {}; what is missing is not shown. ",
                            signal_name(result.interrupted_by),
                            counted(result.complete_rounds, "complete round"));
    }
    if (!result.problem.empty()) {
        alert += (result.rows.empty() ? "Nothing was measured: " : "partial: ") + result.problem;
    }
    return alert;
}

void add_measurements(document& d, const run_result& result) {
    list notes;
    for (const run_row& row : result.rows) {
        if (row.find_estimate(wall_metric) != nullptr && !row.contender.notes.empty()) {
            notes.lines.push_back(
                fmt::format("{}: {}", row.contender.title, fmt::join(row.contender.notes, "; ")));
        }
    }
    const metric_info& judged = metric_named(result.judged_by);
    section& time = d.add_section("time", capitalised(judged.title), forms::page);
    time.add(paragraph{fmt::format("{}: {}, {}", short_command(result.what.command),
                                   counted(result.complete_rounds, "round"), why_it_stopped(result))});
    time.add(
        picture{[&result, &judged] { return html::metrics_plot(result, {&judged}); },
                "Every round runs all allocators, in random order. Each dot is a run, divided by the run on "
                "the default allocator in the same round; left is "
                "faster. The upright mark is the median of these ratios, written at the end of the line, the "
                "bar its interval. Shaded: the noise floor, what two copies of the default differ by."});
    table main = main_table(result);
    main.remarks = remarks_of(result);
    time.add(std::move(main));
    time.add(std::move(notes));
    d.add_section("others", "Other metrics").add(others_plot(result, judged));
}

} // namespace

document run_document(const run_result& result) {
    const std::string program = program_of(result.what.command, result.what.spec.program.filename().string());
    document d{.command = "linn run",
               .subject = program,
               .question = fmt::format("Would another allocator make {} faster or smaller?", program),
               .started = result.started,
               .machine = result.machine.cpu_model,
               .alert = alert_of(result),
               .lead = result.verdict,
               .warnings = warnings_of(result),
               .json = [&result] { return run_fields(result); },
               .data = [&result] { return data_of(run_lines(result), run_columns); }};
    d.add(list{result.findings});
    add_measurements(d, result);
    section& allocators = d.add_section("allocators", "Allocators", forms::page);
    allocators.blocks = losses_of(result);
    allocators.add(proof_of(result), forms::page);
    d.add_section("machine", "Program, machine and options").add(facts_of(result), forms::page);
    const run_options& o = result.options;
    d.provenance = provenance_text(
        result.started, result.machine,
        fmt::format("{}; seed {}", o.launch.cpus.empty() ? "not pinned" : "pinned to CPU " + o.launch.cpus,
                    o.seed));
    return d;
}

} // namespace linn::tool::report
