// SPDX-License-Identifier: Apache-2.0
#include "run_table.hpp"

#include "../measure/process.hpp"
#include "../measure/rounds.hpp"
#include "../measure/sort_stably.hpp"
#include "../measure/statistics.hpp"
#include "../run/verdict.hpp"
#include "quantity.hpp"
#include "remarks.hpp"
#include "shell_words.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

std::string percent(double share) {
    return fmt::format("{:.{}f} %", share * 100, share < 0.0995 ? 1 : 0);
}

/// Rows that have the time that the verdict speaks of, the smallest ratio first.
std::vector<const run_row*> sorted_rows(const run_result& result) {
    const char* const metric = result.judged_by.c_str();
    std::vector<const run_row*> rows;
    for (const run_row& row : result.rows)
        if (row.find_estimate(metric) != nullptr)
            rows.push_back(&row);
    sort_stably(rows, [&](const run_row* a, const run_row* b) {
        return a->find_estimate(metric)->ratio < b->find_estimate(metric)->ratio;
    });
    return rows;
}

/// The unit in which a column of times is readable.
struct time_unit {
    const char* name;
    double ns;
    int digits;
};

time_unit unit_for(double largest, double smallest) {
    if (largest >= 10e9)
        return {"s", 1e9, smallest < 1e9 ? 2 : 1};
    if (largest >= 1e9)
        return {"s", 1e9, 2};
    return {"ms", 1e6, largest < 10e6 ? 2 : largest < 100e6 ? 1 : 0};
}

time_unit unit_of(const std::vector<const run_row*>& rows, const char* metric) {
    double largest = 0;
    double smallest = INFINITY;
    for (const run_row* r : rows)
        if (const estimate* e = r->find_estimate(metric); e != nullptr) {
            largest = std::max(largest, e->median);
            smallest = std::min(smallest, e->median);
        }
    return unit_for(largest, smallest);
}

/// 1234567 → "1.23 M".
std::string count_text(double value) {
    if (value >= 999.5e3)
        return fmt::format("{:.{}f} M", value / 1e6, value < 9.995e6 ? 2 : 1);
    if (value >= 9'999.5)
        return fmt::format("{:.{}f} k", value / 1e3, value < 99'950 ? 1 : 0);
    return fmt::format("{:.0f}", value);
}

const char* call_word(const run_row& row, const estimate& e, bool is_cpu) {
    if (row.contender.is_default())
        return "";
    if (row.contender.is_control())
        return "(control)";
    switch (e.call) {
    case verdict::better:
        return is_cpu ? "less" : "faster";
    case verdict::worse:
        return is_cpu ? "more" : "slower";
    case verdict::no_difference:
        break;
    }
    return "-";
}

/// "<" and ">" after a ratio of memory that differs for certain.
std::string marked_ratio(const estimate& e) {
    const char* mark = e.call == verdict::better ? "<" : e.call == verdict::worse ? ">" : " ";
    return fmt::format("{}{}", ratio_text(e.ratio), mark);
}

/// The median of a metric; empty without samples.
std::string median_text(const run_row& row, const char* metric) {
    const std::vector<double> values = row.values(metric);
    return values.empty() ? "" : count_text(median(values));
}

table make_table(const run_result& result, const std::map<std::string, int>& marks) {
    const std::vector<const run_row*> rows = sorted_rows(result);
    const bool is_cpu = result.judged_by == cpu_metric;
    const char* const judged = is_cpu ? cpu_metric : wall_metric;
    const char* const other = is_cpu ? wall_metric : cpu_metric;
    const char* const heading = is_cpu ? "CPU time" : "wall time";
    const time_unit unit = unit_of(rows, judged);
    const time_unit other_unit = unit_of(rows, other);
    table t{{{"allocator", "", true, 0},
             {unit.name, heading, false, 0},
             {"ratio", heading, false, 0},
             {"95 %", heading, false, 2},
             {"verdict", "", true, 0},
             {fmt::format("{} {}", is_cpu ? "wall" : "CPU", other_unit.name), "", false, 4},
             {"MiB", "peak memory", false, 1},
             {"ratio", "peak memory", false, 1},
             {"faults", "", false, 5},
             {"switches", "", false, 6}}};
    const auto time = [](const time_unit& u, const estimate* e) {
        return e == nullptr ? std::string{} : fmt::format("{:.{}f}", e->median / u.ns, u.digits);
    };
    for (const run_row* r : rows) {
        const estimate& e = *r->find_estimate(judged);
        const estimate* memory = r->find_estimate("peak_rss_bytes");
        const bool is_reference = r->contender.name == default_name;
        std::string title = r->contender.title;
        if (const auto mark = marks.find(r->contender.name); mark != marks.end())
            title += fmt::format(" [{}]", mark->second);
        t.add_row({title, time(unit, &e), is_reference ? "1" : ratio_text(e.ratio),
                   is_reference ? "" : ratio_bounds(e.ratio_low, e.ratio_high), call_word(*r, e, is_cpu),
                   time(other_unit, r->find_estimate(other)),
                   memory == nullptr ? "" : fmt::format("{:.1f}", memory->median / (1024 * 1024)),
                   memory == nullptr ? ""
                   : is_reference    ? "1 "
                                     : marked_ratio(*memory),
                   median_text(*r, "minor_faults"), median_text(*r, "voluntary_switches")},
                  e.call == verdict::better);
    }
    return t;
}

std::string stop_text(const run_result& result) {
    const run_options& o = result.options;
    switch (result.stopped) {
    case stop_reason::precise:
        return fmt::format("stopped when every ratio was known to +-{}", percent(o.precision));
    case stop_reason::budget:
        return fmt::format("stopped by the budget of {}",
                           seconds_text(static_cast<double>(o.budget.count())));
    case stop_reason::rounds:
        return o.rounds != 0 ? "as asked for" : "the most there are";
    case stop_reason::interrupted:
        return "interrupted";
    case stop_reason::nothing_to_compare:
        break;
    }
    return "nothing to compare";
}

std::string program_text(const run_result& result) {
    const std::string command = shell_words(result.what.command);
    constexpr std::size_t most = 200;
    std::string text = command.size() > most ? command.substr(0, most) + "..." : command;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

std::vector<std::string> remarks(const run_result& result, const table& t, const output_style& style) {
    std::vector<std::string> lines;
    if (const std::vector<std::string> hidden = t.dropped(style); !hidden.empty())
        lines.push_back(hidden_columns(hidden));
    const bool has_intervals = result.complete_rounds >= rounds_to_judge;
    lines.push_back(fmt::format("medians of the runs; ratios to the default in the same round{}",
                                has_intervals
                                    ? ", with the 95 % interval of their median; < and > mark memory "
                                      "that is less or more for certain"
                                    : ""));
    if (const auto time = result.noise_floor.find(result.judged_by); time != result.noise_floor.end()) {
        std::string text = fmt::format("noise floor, the default against itself: {} {}",
                                       result.judged_by == cpu_metric ? "CPU time" : "wall time",
                                       percent(time->second.floor));
        if (const auto memory = result.noise_floor.find("peak_rss_bytes"); memory != result.noise_floor.end())
            text += fmt::format(", memory {}", percent(memory->second.floor));
        lines.push_back(text +
                        "; smaller differences are not claimed, nor those that Wilcoxon's test with Holm's "
                        "correction does not tell from chance");
    }
    lines.emplace_back("in every run, malloc was proven to be the allocator's");
    unsigned repeated = 0;
    std::size_t disturbed = 0;
    for (const run_row& row : result.rows) {
        repeated += row.repeated;
        disturbed += static_cast<std::size_t>(std::count_if(row.samples.begin(), row.samples.end(),
                                                            [](const run_sample& s) { return s.disturbed; }));
    }
    if (repeated + disturbed != 0)
        lines.push_back(fmt::format("repeated because the machine was disturbed: {} run{}; kept although it "
                                    "still was: {}",
                                    repeated, repeated == 1 ? "" : "s", disturbed));
    return lines;
}

std::string left_out_lines(const run_result& result, std::size_t width) {
    std::string out;
    std::vector<std::string> missing;
    for (const run_left_out& l : result.left_out)
        if (l.reason.starts_with("not found"))
            missing.push_back(l.name);
        else
            out += wrap(fmt::format("left out: {}: {}", l.name, l.reason), width, 4) + '\n';
    if (!missing.empty())
        out += wrap(fmt::format("not installed: {}; 'linn allocators' says how to get them",
                                fmt::join(missing, ", ")),
                    width, 4) +
               '\n';
    return out;
}

std::string failure_lines(const run_result& result, std::size_t width) {
    std::string out;
    for (const run_row& row : result.rows) {
        if (row.failure.empty())
            continue;
        out += wrap(fmt::format("failed: {}: {}", row.contender.title, row.failure), width, 4) + '\n';
        std::size_t begin = 0;
        while (begin < row.last_output.size()) {
            const std::size_t end = std::min(row.last_output.find('\n', begin), row.last_output.size());
            out += ("    | " + row.last_output.substr(begin, end - begin)).substr(0, width) + '\n';
            begin = end + 1;
        }
    }
    return out;
}

std::string machine_lines(const run_result& result, std::size_t width) {
    const machine_info& m = result.machine;
    return wrap(fmt::format("machine: {}, {} CPUs, {}; transparent huge pages: {}; {}; seed {}", m.cpu_model,
                            m.cpus, m.kernel, m.huge_pages,
                            result.options.launch.cpus.empty()
                                ? "not pinned"
                                : "pinned to CPU " + result.options.launch.cpus,
                            result.options.seed),
                width, 2) +
           '\n';
}

} // namespace

std::string run_report(const run_result& result, const output_style& style) {
    std::string out;
    if (!result.complete()) {
        out += bold(style, fmt::format("partial: stopped by {} after {} complete rounds",
                                       signal_name(result.interrupted_by), result.complete_rounds)) +
               '\n';
    }
    if (!result.problem.empty())
        out += bold(style, wrap("partial: " + result.problem, style.width)) + '\n';
    if (!result.verdict.empty())
        out += bold(style, wrap(result.verdict, style.width)) + '\n';
    for (const std::string& finding : result.findings)
        out += wrap(finding, style.width) + '\n';

    std::map<std::string, int> marks;
    std::vector<std::string> notes;
    for (const run_row& row : result.rows)
        if (!row.contender.notes.empty() && row.find_estimate(wall_metric) != nullptr) {
            notes.push_back(fmt::format("{}: {}", row.contender.title, fmt::join(row.contender.notes, "; ")));
            marks[row.contender.name] = static_cast<int>(notes.size());
        }
    const table t = make_table(result, marks);
    out += '\n' +
           wrap(fmt::format("{}: {} round{}, {}", program_text(result), result.complete_rounds,
                            result.complete_rounds == 1 ? "" : "s", stop_text(result)),
                style.width, 2) +
           "\n\n" + t.render(style);
    out += prose_lines(remarks(result, t, style), style.width);
    out += "  " + machine_lines(result, style.width - 2);
    for (std::size_t i = 0; i != notes.size(); ++i)
        out += wrap(fmt::format("[{}] {}", i + 1, notes[i]), style.width, 4) + '\n';
    out += failure_lines(result, style.width);
    out += left_out_lines(result, style.width);
    for (const std::string& warning : result.warnings)
        out += wrap(fmt::format("warning: {}", warning), style.width, 4) + '\n';
    return out;
}

} // namespace linn::tool
