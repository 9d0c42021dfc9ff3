// SPDX-License-Identifier: Apache-2.0
#include "bench_section.hpp"

#include "../../bench/cliffs.hpp"
#include "../../bench/judgement.hpp"
#include "../plots/bench_plots.hpp"
#include "../plots/bench_rows.hpp"
#include "../plots/numbers.hpp"
#include "../remarks.hpp"
#include "../render/html_table.hpp"
#include "../variant_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    const double mib = r.peak_rss_bytes / mebibyte;
    return number_cell(mib, fmt::format("{:.1f}", mib));
}

html_cell ratio_cell(const row& r) {
    return r.ratio > 0 ? number_cell(r.ratio, ratio_text(r.ratio)) : words_cell("–");
}

/// Whether figures that were published by phase are in the unit of this column.
bool shows_published(const scenario& s, const column_info& c) {
    return c.shows == (s.published_unit == "cycles" ? figure::cycles : figure::time);
}

html_cell cliff_cell(const scenario& s, const row& r, unsigned threads) {
    const std::vector<cliff> cliffs = cliffs_on(s, r, threads);
    if (cliffs.empty())
        return number_cell(0, "none");
    const std::size_t bytes = s.phases[cliffs.front().phase].bytes;
    return number_cell(
        static_cast<double>(bytes),
        fmt::format("{} × {:.0f}{}", short_size(bytes), cliffs.front().factor, cliffs.size() > 1 ? "+" : ""));
}

html_cell metric_cell(const row& r, const column_info& c, double ticks_per_ns) {
    const auto value = r.metric(c.phase, c.metric);
    if (!value)
        return words_cell("–");
    if (c.shows == figure::memory)
        return number_cell(*value, fmt::format("{:.1f}", *value * c.factor));
    if (c.shows == figure::metric)
        return number_cell(*value, fmt::format("{:.0f} %", *value * c.factor));
    const double time = *value / ticks_per_ns * c.factor;
    return number_cell(time, three_digits(time, c.decimals));
}

html_cell column_cell(const bench_result& result, const scenario_result& s, const row& r,
                      const column_info& c) {
    if (c.shows == figure::cliff)
        return cliff_cell(*s.what, r, s.what->phases[c.phase].threads);
    if (!c.metric.empty())
        return metric_cell(r, c, result.machine.ticks_per_ns);
    const phase_figures* const f = r.in(c.phase);
    if (f == nullptr)
        return words_cell("–");
    const auto show = [&](double value) { return three_digits(value, c.decimals); };
    const auto cell = [&](double value) { return number_cell(value, show(value)); };
    switch (c.shows) {
    case figure::faults:
        return number_cell(f->faults, f->faults < 0.0005 ? "0" : three_digits(f->faults, 3));
    case figure::cycles:
        return cell(f->cycles.median.middle);
    case figure::minimum:
        return cell(f->cycles.minimum);
    case figure::bounds:
        return interval_cell(f->cycles.median.low, f->cycles.median.high, show);
    case figure::rate:
        return cell(1e9 / f->ns.median.middle * c.factor);
    default:
        return cell(f->ns.median.middle * c.factor);
    }
}

/// The main table of a scenario, whose variants are its groups.
class variant_table {
public:
    variant_table(const bench_result& result, const scenario_result& s)
        : result_{&result},
          s_{&s},
          has_published_column_{s.what->published_unit == "unstated"},
          table_{capitalised(heading_of(result.options, *s.what)), columns()} {
        table_.sorted_by(1 + s.what->columns.size()); // × glibc
        for (const row_group& g : group_rows(s)) {
            table_.add_group(text(g.note.empty() ? g.heading : fmt::format("{}: {}", g.heading, g.note)));
            for (const row* r : g.rows)
                add(g, *r);
            for (std::size_t v = 0; v != s.what->variants.size(); ++v)
                if (g.variant ? v == *g.variant : !s.what->variants[v].contender.empty())
                    add_published(s.what->variants[v]);
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
        cells.push_back(ratio_cell(r));
        cells.push_back(memory_cell(r));
        cells.push_back(rounds_cell(r));
        if (has_published_column_) {
            const published_row* p =
                s_->find_published(result_->contenders[r.contender].name, s_->variant_of(r).name);
            cells.push_back(p == nullptr ? html_cell{} : number_cell(p->figures.front(), published_text(*p)));
        }
        table_.add_row(std::move(cells), style_of(*result_, r));
    }

    /// What was published phase by phase stands below the rows measured, in the unit of the columns.
    void add_published(const variant_info& v) {
        if (has_published_column_)
            return;
        for (const published_row& p : s_->published) {
            if (p.variant != v.name)
                continue;
            const std::string who{p.contender.empty() ? p.source : p.contender};
            std::vector<html_cell> cells{words_cell(fmt::format("{}, published", who))};
            for (const column_info& c : s_->what->columns) {
                const double f = shows_published(*s_->what, c) ? p.figures[c.phase] : 0;
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
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        for (std::size_t i = 0; i != s.comparisons.size(); ++i)
            for (const comparison& c : s.comparisons[i])
                if (c.phase == p)
                    table.add_row({words_cell(s.what->phases[p].title),
                                   words_cell(result.title_of(s, s.rows[c.ours])),
                                   words_cell(s.what->comparisons[i].rivals_short),
                                   words_cell(result.title_of(s, s.rows[c.other])),
                                   number_cell(c.speed_up, fmt::format("{} ×", ratio_text(c.speed_up))),
                                   words_cell(to_string(c.says)),
                                   number_cell(c.uncertainty, percent_text(c.uncertainty)),
                                   number_cell(s.noise[p].threshold, percent_text(s.noise[p].threshold))});
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
    for (const row_group& g : group_rows(s))
        for (const row* r : g.rows)
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                const phase_figures* const f = r->in(p);
                if (f == nullptr)
                    continue;
                std::vector<std::string> samples;
                for (const double cycles : r->cycles(p))
                    samples.push_back(figure_text(cycles / result.machine.ticks_per_ns));
                table.add_row({words_cell(result.title_of(s, *r)), words_cell(s.what->phases[p].title),
                               number_cell(f->ns.median.middle, figure_text(f->ns.median.middle)),
                               interval_cell(f->ns.median.low, f->ns.median.high, figure_text),
                               number_cell(f->ns.minimum, figure_text(f->ns.minimum)),
                               number_cell(f->faults, figure_text(f->faults)),
                               words_cell(fmt::format("{}", fmt::join(samples, " · ")))},
                              style_of(result, *r));
            }
    return table.empty() ? markup{} : table.draw();
}

std::string what_it_measures(const bench_options& o, const scenario& s) {
    const bool is_less = s.sized_by == work_size::percent && o.work != 100;
    return fmt::format("{}: {}{}.", s.summary, heading_of(o, s),
                       is_less ? fmt::format(", {} % of the usual work", o.work) : "");
}

} // namespace

section scenario_section(id_source& ids, const bench_result& result, const scenario_result& s) {
    markup content =
        element("p", {{"class", "what"}}, text(capitalised(what_it_measures(result.options, *s.what))));
    content += scenario_plots(ids, result, s);
    content += variant_table{result, s}.draw();
    content += element("div", {{"class", "notes"}}, bullet_list(common_remarks(result, s, {})));
    content += folded("How Linn compares, column by column", comparison_table(result, s));
    content += folded("Every sample", sample_table(result, s));
    return {"scenario-" + std::string{s.what->name}, std::string{s.what->name}, content};
}

} // namespace linn::tool::html
