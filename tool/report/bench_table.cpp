// SPDX-License-Identifier: Apache-2.0
#include "bench_table.hpp"

#include "../bench/summary.hpp"
#include "../measure/process.hpp"
#include "../measure/statistics.hpp"
#include "remarks.hpp"
#include "table.hpp"
#include "variant_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

/// 1000000 → "1 000 000".
std::string grouped(std::size_t value) {
    std::string text = std::to_string(value);
    for (std::size_t i = text.size(); i > 3; i -= 3)
        text.insert(i - 3, 1, ' ');
    return text;
}

/// Writes the figures of one column alike: with one digit after the point when the smallest is below 10.
std::vector<std::string> column_text(const std::vector<double>& values) {
    const int digits = !values.empty() && minimum(values) < 9.95 ? 1 : 0;
    std::vector<std::string> cells;
    for (const double v : values)
        cells.push_back(fmt::format("{:.{}f}", v, digits));
    return cells;
}

std::string rounds_text(const scenario_result& s) {
    std::size_t least = SIZE_MAX;
    std::size_t most = 0;
    for (const row& r : s.rows) {
        least = std::min(least, r.samples.size());
        most = std::max(most, r.samples.size());
    }
    return least == most ? fmt::format("{} round{}", most, most == 1 ? "" : "s")
                         : fmt::format("{} to {} rounds", least, most);
}

std::string heading(const bench_result& result, const scenario_result& s) {
    const bench_options& o = result.options;
    if (s.what->has_variants())
        return fmt::format("{}: {}, {}", s.what->name, s.what->heading, rounds_text(s));
    if (s.what->name == "object")
        return fmt::format("object: {} objects of {} bytes allocated, then freed; cycles a pair, {}",
                           grouped(o.objects), o.object_bytes, rounds_text(s));
    return fmt::format("containers: {} random integers in a std::{}<int>; cycles an operation, {}",
                       grouped(o.n), o.container, rounds_text(s));
}

/// "quick: 3 of at most 5 rounds in 240 s, 50 % of the usual work; took 3:47".
std::string effort_line(const bench_result& result) {
    const bench_options& o = result.options;
    std::string text = o.full ? "full" : "quick";
    const auto seconds = static_cast<int>(result.seconds + 0.5);
    if (result.budget_spent())
        text +=
            fmt::format(": {} of {} rounds fitted in {:.0f} s", result.complete_rounds, o.rounds, o.budget_s);
    else
        text += fmt::format(": {} round{}", result.complete_rounds, result.complete_rounds == 1 ? "" : "s");
    if (o.work != 100)
        text += fmt::format(", {} % of the usual work", o.work);
    text += fmt::format("; took {}:{:02}", seconds / 60, seconds % 60);
    return text;
}

std::string machine_lines(const bench_result& result, std::size_t width) {
    const machine_info& m = result.machine;
    const bench_options& o = result.options;
    // A run that was stopped at once has not asked the worker yet.
    const std::string build =
        m.build.empty() ? "" : fmt::format("worker: compiler {}, {}; ", m.compiler, m.build);
    const std::string pinning = o.cpu == "none"   ? "not pinned"
                                : o.cpu == "auto" ? "each process pinned to the CPU it started on"
                                                  : fmt::format("pinned to CPU {}", o.cpu);
    std::string out = wrap(fmt::format("machine: {}, {} CPUs, {}; transparent huge pages: {}", m.cpu_model,
                                       m.cpus, m.kernel, m.huge_pages),
                           width, 2);
    out += '\n' + wrap(fmt::format("{}{}; cycles: {} at {:.3f} GHz; seed {}", build, pinning, m.counter,
                                   m.ticks_per_ns, o.seed),
                       width, 2);
    if (!m.environment.empty())
        out +=
            '\n' + wrap(fmt::format("environment that steers allocators: {}", fmt::join(m.environment, " ")),
                        width, 2);
    out += '\n' + wrap(effort_line(result), width, 2);
    return out + '\n';
}

table make_table(const bench_result& result, const scenario_result& s, std::map<std::string, int>& marks) {
    const bool has_published = result.options.container == "unordered_set" || s.what->name != "containers";
    std::vector<table_column> columns{{"contender", "", true, 0}};
    for (const phase_info& p : s.what->phases) {
        const std::string title{p.title};
        columns.push_back({"median", title, false, 0});
        columns.push_back({"min", title, false, 1});
        columns.push_back({"ns", title, false, 4});
    }
    columns.push_back({"x glibc", "", false, 2});
    columns.push_back({"MiB", "", false, 3});
    if (has_published)
        columns.push_back({"published", "", false, 2});
    table t{columns};

    std::vector<const row*> sorted;
    for (const row& r : s.rows)
        sorted.push_back(&r);
    std::sort(sorted.begin(), sorted.end(), [&](const row* a, const row* b) {
        return std::pair{ratio_to_baseline(result, s, *a), a->contender} <
               std::pair{ratio_to_baseline(result, s, *b), b->contender};
    });
    std::vector<std::vector<std::string>> figures; // by column, then row
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        std::vector<double> middle;
        std::vector<double> least;
        std::vector<double> ns;
        for (const row* r : sorted) {
            middle.push_back(median(r->cycles(p)));
            least.push_back(minimum(r->cycles(p)));
            ns.push_back(middle.back() / result.machine.ticks_per_ns);
        }
        for (const std::vector<double>& values : {middle, least, ns})
            figures.push_back(column_text(values));
    }
    for (std::size_t i = 0; i != sorted.size(); ++i) {
        const row* r = sorted[i];
        const contender& c = result.contenders[r->contender];
        std::string title = c.title;
        if (const auto mark = marks.find(c.name); mark != marks.end())
            title += fmt::format(" [{}]", mark->second);
        std::vector<std::string> cells{title};
        for (const std::vector<std::string>& column : figures)
            cells.push_back(column[i]);
        const double ratio = ratio_to_baseline(result, s, *r);
        cells.push_back(ratio > 0 ? fmt::format("{:.2f}", ratio) : "-");
        cells.push_back(fmt::format("{:.0f}", std::ceil(r->peak_rss_bytes() / (1024 * 1024))));
        if (has_published) {
            const published_row* published = find_published(*s.what, c.name);
            cells.push_back(published != nullptr ? published_text(*published) : "");
        }
        t.add_row(std::move(cells), c.name == linn_name);
    }
    return t;
}

/// The remarks that a reader of one table needs: meaning of columns, published figures without a row, noise.
std::string remarks(const bench_result& result, const scenario_result& s, const table& t,
                    const output_style& style) {
    std::vector<std::string> lines;
    const std::vector<std::string> hidden = t.dropped(style);
    const bool has_memory = std::find(hidden.begin(), hidden.end(), "MiB") == hidden.end();
    lines.push_back(fmt::format("x glibc: geometric mean of the medians by glibc's{}",
                                has_memory ? "; MiB: peak resident size" : ""));
    if (s.what->name == "object")
        lines.emplace_back(
            "first pass: fresh memory, page faults included; many: later passes; hot pair: each object "
            "freed at once. The published figures are for many.");
    if (s.what->name == "containers" && result.options.container == "unordered_set") {
        std::vector<std::string> elsewhere;
        for (const published_row& row : s.what->published)
            if (row.contender.empty())
                elsewhere.push_back(fmt::format("{} {}", row.source, published_text(row)));
        lines.push_back(
            fmt::format("published: insert/erase/insert again, GCC 10.3, Ubuntu 20.04; elsewhere {}; {}",
                        fmt::join(elsewhere, ", "), s.what->published_remark));
    }
    for (std::string& line : common_remarks(result, s, hidden))
        lines.push_back(std::move(line));
    std::vector<std::string> versus;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        if (const auto c = compare_linn(result, s, p))
            versus.push_back(fmt::format(
                "{} {:.2f} x {}{}", s.what->phases[p].title, c->speed_up,
                result.contenders[c->best_other->contender].title,
                std::isnan(c->uncertainty) ? "" : fmt::format(" (+- {:.0f} %)", c->uncertainty * 100)));
    if (!versus.empty())
        lines.push_back(fmt::format("linn's speed by the best other's: {}", fmt::join(versus, ", ")));
    return prose_lines(lines, style.width);
}

} // namespace

std::string bench_report(const bench_result& result, const output_style& style) {
    std::map<std::string, int> marks;
    std::vector<std::string> notes;
    for (const contender& c : result.contenders)
        if (c.kind != contender_kind::in_process && !c.notes.empty()) {
            notes.push_back(fmt::format("{}: {}", c.title, fmt::join(c.notes, "; ")));
            marks[c.name] = static_cast<int>(notes.size());
        }

    std::string out;
    if (!result.complete())
        out += bold(style, fmt::format("partial: stopped by {} after {} of {} complete rounds",
                                       signal_name(result.interrupted_by), result.complete_rounds,
                                       result.options.rounds)) +
               '\n';
    out += machine_lines(result, style.width);
    if (result.machine.build == "not optimised")
        out += bold(style, "The worker was built without optimisation: these figures mean nothing.") + '\n';
    for (const scenario_result& s : result.scenarios) {
        if (s.rows.empty())
            continue;
        out += '\n' + bold(style, wrap(heading(result, s), style.width, 2)) + '\n';
        if (s.what->has_variants()) {
            out += variant_report(result, s, marks, style);
            continue;
        }
        const table t = make_table(result, s, marks);
        out += t.render(style);
        out += remarks(result, s, t, style);
    }
    if (!notes.empty() || !result.missing.empty())
        out += '\n';
    for (std::size_t i = 0; i != notes.size(); ++i)
        out += wrap(fmt::format("[{}] {}", i + 1, notes[i]), style.width, 4) + '\n';
    for (const left_out& l : result.missing) {
        std::string where = l.scenario.empty() ? "" : fmt::format(" in {}", l.scenario);
        if (!l.variant.empty())
            where += fmt::format(", {}", l.variant);
        out += wrap(fmt::format("left out: {}{}: {}", l.name, where, l.reason), style.width, 4) + '\n';
    }
    for (const std::string& finding : findings(result))
        out += '\n' + wrap(finding, style.width) + '\n';
    return out;
}

} // namespace linn::tool
