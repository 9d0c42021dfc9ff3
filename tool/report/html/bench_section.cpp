// SPDX-License-Identifier: Apache-2.0
#include "bench_section.hpp"

#include "../../bench/cliffs.hpp"
#include "../../bench/summary.hpp"
#include "../plots/bench_plots.hpp"
#include "../plots/bench_rows.hpp"
#include "../plots/numbers.hpp"
#include "../remarks.hpp"
#include "../render/html_table.hpp"
#include "../variant_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace linn::tool::html {
namespace {

constexpr double mebibyte = 1024 * 1024;

std::string rounds_text(const row& r) {
    return r.disturbed == 0 ? std::to_string(r.samples.size())
                            : fmt::format("{}, {} disturbed", r.samples.size(), r.disturbed);
}

html_cell rounds_cell(const row& r) {
    return number_cell(static_cast<double>(r.samples.size()), rounds_text(r));
}

html_cell memory_cell(const row& r) {
    const double mib = r.peak_rss_bytes() / mebibyte;
    return number_cell(mib, fmt::format("{:.1f}", mib));
}

html_cell ratio_cell(const bench_result& result, const scenario_result& s, const row& r) {
    const double ratio = ratio_to_baseline(result, s, r);
    return ratio > 0 ? number_cell(ratio, ratio_text(ratio)) : words_cell("–");
}

/// All figures of one column with as many digits after the point.
int digits_for(const std::vector<const row*>& rows, std::size_t phase) {
    double least = HUGE_VAL;
    for (const row* r : rows)
        least = std::min(least, median(r->cycles(phase)));
    return least < 9.95 ? 1 : 0;
}

/// The main table of a scenario without variants: a group of columns a phase.
markup phase_table(const bench_result& result, const scenario_result& s) {
    const bool has_published = result.options.container == "unordered_set" || s.what->name != "containers";
    std::vector<html_column> columns{{"contender", {}, true}};
    const auto is_published = [&](std::size_t phase) {
        return has_published && std::any_of(s.what->published.begin(), s.what->published.end(),
                                            [&](const published_row& row) { return row.figures[phase] > 0; });
    };
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const std::string group{s.what->phases[p].title};
        for (const char* heading : {"median", "95 % interval", "min"})
            columns.push_back({heading, group, false});
        if (is_published(p))
            columns.push_back({"published", group, false});
    }
    const std::size_t ratio_column = columns.size();
    columns.push_back({"× glibc", {}, false});
    columns.push_back({"MiB", {}, false});
    columns.push_back({"rounds", {}, false});
    html_table table{fmt::format("Cycles by {}, as measured", s.what->operation), columns};
    table.sorted_by(ratio_column);
    for (const row_group& g : group_rows(result, s))
        for (const row* r : g.rows) {
            const contender& c = result.contenders[r->contender];
            const published_row* published = find_published(*s.what, c.name);
            std::vector<html_cell> cells{words_cell(c.title)};
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                const int digits = digits_for(g.rows, p);
                const auto show = [&](double v) { return fmt::format("{:.{}f}", v, digits); };
                const interval i = median_interval(present_cycles(*r, p));
                const double least = minimum(present_cycles(*r, p));
                cells.push_back(number_cell(i.middle, show(i.middle)));
                cells.push_back(interval_cell(i.low, i.high, show));
                cells.push_back(number_cell(least, show(least)));
                if (!is_published(p))
                    continue;
                const double f = published != nullptr ? published->figures[p] : 0;
                cells.push_back(f > 0 ? number_cell(f, figure_text(f)) : html_cell{});
            }
            cells.push_back(ratio_cell(result, s, *r));
            cells.push_back(memory_cell(*r));
            cells.push_back(rounds_cell(*r));
            table.add_row(std::move(cells), style_of(result, *r));
        }
    return table.draw();
}

html_cell column_cell(const bench_result& result, const scenario_result& s, const row& r,
                      const column_info& c) {
    const double per_ns = result.machine.ticks_per_ns;
    switch (c.shows) {
    case figure::cliff: {
        const std::vector<cliff> cliffs = find_cliffs(*s.what, r, s.what->phases[c.phase].threads);
        if (cliffs.empty())
            return number_cell(0, "none");
        const std::size_t bytes = s.what->phases[cliffs.front().phase].bytes;
        return number_cell(static_cast<double>(bytes),
                           fmt::format("{} × {:.0f}{}", short_size(bytes), cliffs.front().factor,
                                       cliffs.size() > 1 ? "+" : ""));
    }
    case figure::memory: {
        const auto value = r.metric(c.phase, c.metric);
        return value ? number_cell(*value, fmt::format("{:.1f}", *value * c.factor)) : words_cell("–");
    }
    case figure::metric:
    case figure::metric_time: {
        const auto value = r.metric(c.phase, c.metric);
        if (!value)
            return words_cell("–");
        if (c.shows == figure::metric)
            return number_cell(*value, fmt::format("{:.0f} %", *value * c.factor));
        const double time = *value / per_ns * c.factor;
        return number_cell(time, three_digits(time, c.decimals));
    }
    case figure::faults: {
        if (!r.has(c.phase))
            return words_cell("–");
        const double faults = median(r.faults(c.phase));
        return number_cell(faults, faults < 0.0005 ? "0" : three_digits(faults, 3));
    }
    case figure::time:
    case figure::rate:
        break;
    }
    if (!r.has(c.phase))
        return words_cell("–");
    const double ns = median(r.cycles(c.phase)) / per_ns;
    const double value = c.shows == figure::rate ? 1e9 / ns * c.factor : ns * c.factor;
    return number_cell(value, three_digits(value, c.decimals));
}

/// The main table of a scenario with variants, which are its groups.
class variant_table {
public:
    variant_table(const bench_result& result, const scenario_result& s)
        : result_{&result},
          s_{&s},
          has_published_column_{s.what->published_unit == "unstated"},
          table_{capitalised(s.what->heading), columns()} {
        for (const row_group& g : group_rows(result, s)) {
            table_.add_group(text(g.note.empty() ? g.heading : fmt::format("{}: {}", g.heading, g.note)));
            for (const row* r : g.rows)
                add(g, *r);
            if (g.variant)
                add_published(s.what->variants[*g.variant]);
        }
    }

    markup draw() const { return table_.draw(); }

private:
    std::vector<html_column> columns() const {
        std::vector<html_column> list{{"", {}, true}};
        for (const column_info& c : s_->what->columns)
            list.push_back({std::string{c.title}, std::string{c.group}, false});
        list.push_back({"× glibc", {}, false});
        list.push_back({"MiB", {}, false});
        list.push_back({"rounds", {}, false});
        if (has_published_column_)
            list.push_back({"published", {}, false});
        return list;
    }

    void add(const row_group& g, const row& r) {
        std::vector<html_cell> cells{words_cell(label_of(*result_, *s_, g, r))};
        for (const column_info& c : s_->what->columns)
            cells.push_back(column_cell(*result_, *s_, r, c));
        cells.push_back(ratio_cell(*result_, *s_, r));
        cells.push_back(memory_cell(r));
        cells.push_back(rounds_cell(r));
        if (has_published_column_) {
            const published_row* p =
                find_published(*s_->what, result_->contenders[r.contender].name, s_->variant_of(r));
            cells.push_back(p == nullptr ? html_cell{} : number_cell(p->figures.front(), published_text(*p)));
        }
        table_.add_row(std::move(cells), style_of(*result_, r));
    }

    /// What was published phase by phase stands below the rows measured, in the unit of the columns.
    void add_published(const variant_info& v) {
        if (has_published_column_)
            return;
        for (const published_row& p : s_->what->published) {
            if (p.variant != v.name)
                continue;
            const std::string who{p.contender.empty() ? p.source : p.contender};
            std::vector<html_cell> cells{words_cell(fmt::format("{}, published", who))};
            for (const column_info& c : s_->what->columns) {
                const double f = c.shows == figure::time ? p.figures[c.phase] : 0;
                cells.push_back(f > 0 ? number_cell(f, three_digits(f, c.decimals)) : html_cell{});
            }
            cells.resize(cells.size() + 3);
            table_.add_footnote_row(std::move(cells));
        }
    }

    const bench_result* result_;
    const scenario_result* s_;
    bool has_published_column_;
    html_table table_;
};

/// Every comparison that the findings are made of.
markup comparison_table(const bench_result& result, const scenario_result& s) {
    html_table table{"Linn's speed by that of the best rival",
                     {{"phase", {}, true},
                      {"Linn's", {}, true},
                      {"against", {}, true},
                      {"best of them", {}, true},
                      {"speed-up", {}, false},
                      {"outcome", {}, true},
                      {"± two standard errors", {}, false},
                      {"least gap to be claimed", {}, false}}};
    const auto add = [&](std::string_view ours, std::string_view rivals, std::size_t phase,
                         const comparison& c) {
        table.add_row({words_cell(s.what->phases[phase].title), words_cell(ours), words_cell(rivals),
                       words_cell(result.title_of(s, *c.best_other)),
                       number_cell(c.speed_up, fmt::format("{} ×", ratio_text(c.speed_up))),
                       words_cell(to_string(judge(result, s, phase, c))),
                       number_cell(c.uncertainty, percent_text(c.uncertainty)),
                       number_cell(claim_threshold(result, s, phase),
                                   percent_text(claim_threshold(result, s, phase)))});
    };
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        if (!s.what->has_variants())
            if (const auto c = compare_linn(result, s, p))
                add("linn", "all others", p, *c);
        for (const comparison_info& info : s.what->comparisons)
            if (const auto c = compare(result, s, info, p))
                add(result.title_of(s, *s.find(result.contenders, linn_name, info.ours)), info.rivals_short,
                    p, *c);
    }
    return table.empty() ? markup{} : table.draw();
}

/// Every row and phase with all that was measured, in nanoseconds.
markup sample_table(const bench_result& result, const scenario_result& s) {
    html_table table{
        fmt::format("Nanoseconds by {} in every process, in the order of the rounds", s.what->operation),
        {{"contender", {}, true},
         {"phase", {}, true},
         {"median", {}, false},
         {"95 % interval", {}, false},
         {"min", {}, false},
         {"faults", {}, false},
         {"samples", {}, true}}};
    const double per_ns = result.machine.ticks_per_ns;
    for (const row_group& g : group_rows(result, s))
        for (const row* r : g.rows)
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                if (!r->has(p))
                    continue;
                std::vector<double> ns = r->cycles(p);
                for (double& v : ns)
                    v /= per_ns;
                const interval i = median_interval(ns);
                std::vector<std::string> samples;
                for (const double v : ns)
                    samples.push_back(figure_text(v));
                const double faults = median(r->faults(p));
                table.add_row({words_cell(result.title_of(s, *r)), words_cell(s.what->phases[p].title),
                               number_cell(i.middle, figure_text(i.middle)),
                               interval_cell(i.low, i.high, figure_text),
                               number_cell(minimum(ns), figure_text(minimum(ns))),
                               number_cell(faults, figure_text(faults)),
                               words_cell(fmt::format("{}", fmt::join(samples, " · ")))},
                              style_of(result, *r));
            }
    return table.empty() ? markup{} : table.draw();
}

std::string what_it_measures(const bench_result& result, const scenario_result& s) {
    const bench_options& o = result.options;
    if (s.what->has_variants())
        return fmt::format("{}: {}{}.", s.what->summary, s.what->heading,
                           o.work == 100 ? "" : fmt::format(", {} % of the usual work", o.work));
    if (s.what->name == "object")
        return fmt::format("{}: {} objects of {} bytes allocated, then freed.", s.what->summary,
                           count_text(static_cast<double>(o.objects)), o.object_bytes);
    return fmt::format("{} random integers inserted in a std::{}<int>, erased and inserted again.",
                       count_text(static_cast<double>(o.n)), o.container);
}

std::vector<std::string> remarks_of(const bench_result& result, const scenario_result& s) {
    std::vector<std::string> lines;
    for (const std::string_view r : s.what->remarks)
        lines.emplace_back(r);
    if (s.what->name == "object")
        lines.emplace_back(
            "first pass: fresh memory, page faults included; many: later passes; hot pair: each "
            "object freed at once.");
    lines.emplace_back(
        "× glibc: geometric mean of the medians by glibc's over all phases. MiB: peak resident size. "
        "faults: minor page faults an operation.");
    std::vector<std::string> sources;
    for (const published_row& p : s.what->published)
        if (!s.what->has_variants())
            sources.push_back(p.contender.empty()
                                  ? fmt::format("elsewhere: {} {}", p.source, published_text(p))
                                  : fmt::format("{}: {}", p.contender, p.source));
    if (!sources.empty())
        lines.push_back(
            fmt::format("published, in {}: {}.", s.what->published_unit, fmt::join(sources, "; ")));
    if (!s.what->published_remark.empty())
        lines.emplace_back(s.what->published_remark);
    for (std::string& line : common_remarks(result, s, {}))
        lines.push_back(std::move(line));
    return lines;
}

} // namespace

section scenario_section(id_source& ids, const bench_result& result, const scenario_result& s) {
    markup content = element("p", {{"class", "what"}}, text(capitalised(what_it_measures(result, s))));
    content += scenario_plots(ids, result, s);
    content += s.what->has_variants() ? variant_table{result, s}.draw() : phase_table(result, s);
    content += element("div", {{"class", "notes"}}, bullet_list(remarks_of(result, s)));
    content += folded("How Linn compares, column by column", comparison_table(result, s));
    content += folded("Every sample", sample_table(result, s));
    return {"scenario-" + std::string{s.what->name}, std::string{s.what->name}, content};
}

} // namespace linn::tool::html
