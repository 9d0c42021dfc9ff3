// SPDX-License-Identifier: Apache-2.0
#include "../../bench/judgement.hpp"
#include "../../bench/results.hpp"
#include "../plots/bench_plots.hpp"
#include "bench_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::report {
namespace {

using html::row_group;

/// Published once a variant and not by phase, so it stands in a column of its own.
bool has_published_column(const scenario& s) {
    return s.published_unit == "unstated";
}

/// Whether figures that were published by phase are in the unit of this column.
bool shows_published(const scenario& s, const column_info& c) {
    return c.shows == (s.published_unit == "cycles" ? figure::cycles : figure::time);
}

bool is_speed(const column_info& c) {
    return c.shows == figure::time || c.shows == figure::rate || c.shows == figure::cycles;
}

/// "250/116/117"; sorted by the first.
cell published_cell(const published_row* p) {
    if (p == nullptr) {
        return {};
    }
    std::string rest;
    for (std::size_t i = 1; i != p->figures.size(); ++i) {
        rest += '/' + figure_of(unit::count, p->figures[i]).text();
    }
    return {{}, figure_of(unit::count, p->figures.front()), rest};
}

/// "64K x20", with a plus where there is more than one.
cell cliff_cell(const scenario& s, const tool::row& r, unsigned threads) {
    const std::vector<cliff> cliffs = cliffs_on(s, r, threads);
    if (cliffs.empty()) {
        return "none";
    }
    const cliff& first = cliffs.front();
    const std::size_t bytes = s.phases[first.phase].bytes;
    return {fmt::format("{}{} x", bytes % 1'024 == 0 ? bytes / 1'024 : bytes, bytes % 1'024 == 0 ? "K" : ""),
            figure_of(unit::count, first.factor), cliffs.size() > 1 ? "+" : ""};
}

/// A number as exact as the column shows it.
quantity number_in(const column_info& c, double value) {
    return {.what = unit::number, .value = value, .decimals = c.decimals};
}

cell figure_cell(const bench_result& result, const scenario& s, const tool::row& r, const column_info& c) {
    if (c.shows == figure::cliff) {
        return cliff_cell(s, r, s.phases[c.phase].threads);
    }
    if (const phase_figures* const f = r.in(c.phase); f != nullptr && c.shows == figure::bounds) {
        quantity bounds = bounds_of(unit::number, f->cycles.median.low, f->cycles.median.high);
        bounds.decimals = c.decimals;
        return bounds;
    }
    const std::optional<double> value = result.shown(r, c);
    if (!value) {
        return "-";
    }
    switch (c.shows) {
    case figure::metric:
        return figure_of(unit::share, *value);
    case figure::memory:
        return figure_of(unit::bytes, *value, {{}, 1 / c.factor, 1});
    default:
        return number_in(c, *value);
    }
}

cell rounds_cell(const tool::row& r) {
    const quantity rounds = figure_of(unit::count, static_cast<double>(r.samples.size()));
    return {{}, rounds, r.disturbed == 0 ? "" : fmt::format(", {} disturbed", r.disturbed)};
}

/// The columns that many rounds need, and Markdown has no room for.
constexpr unsigned least_needed = 5;

/// The columns of the scenario between the name and what all scenarios have.
table empty_table(const bench_result& result, const scenario& s) {
    table t{html::capitalised(heading_of(result.options, s)),
            {{.heading = "contender", .is_text = true, .shorten = cut::end, .least = 26}}};
    for (const column_info& c : s.columns) {
        t.columns.push_back({.heading = std::string{c.title},
                             .group = std::string{c.group},
                             .droppable = c.droppable,
                             .shown_in = c.droppable < least_needed ? forms::everywhere : forms::screens});
    }
    t.sorted_by = t.columns.size();
    t.columns.push_back({.heading = "x glibc", .droppable = 2});
    if (!s.shows_memory()) {
        t.columns.push_back({.heading = "MiB", .droppable = 1});
    }
    t.columns.push_back({.heading = "rounds", .shown_in = forms::documents});
    if (has_published_column(s)) {
        t.columns.push_back({.heading = "published", .droppable = 1});
    }
    return t;
}

void add_row(table& t, const bench_result& result, const scenario_result& s, const row_group& g,
             const tool::row& r, const marked_notes& notes) {
    const std::string& name = result.contenders[r.contender].name;
    cell label{html::label_of(result, s, g, r)};
    label.mark = notes.mark_of(name);
    std::vector<cell> cells{std::move(label)};
    for (const column_info& c : s.what->columns) {
        cells.push_back(figure_cell(result, *s.what, r, c));
    }
    cells.push_back(r.ratio > 0 ? cell{figure_of(unit::times, r.ratio)} : cell{"-"});
    if (!s.what->shows_memory()) {
        cells.push_back(figure_of(unit::bytes, r.peak_rss_bytes, mebibytes));
    }
    cells.push_back(rounds_cell(r));
    if (has_published_column(*s.what)) {
        cells.push_back(published_cell(s.find_published(name, s.variant_of(r).name)));
    }
    t.add(std::move(cells), html::style_of(result, r));
}

/// What was published phase by phase, in the unit of the columns.
void add_published(table& t, const scenario_result& s, const variant_info& v) {
    if (has_published_column(*s.what)) {
        return;
    }
    for (const published_row& p : s.published) {
        if (p.variant != v.name) {
            continue;
        }
        const std::string_view who = p.contender.empty()   ? p.source
                                     : v.contender.empty() ? p.contender
                                                           : v.title;
        std::vector<cell> cells{fmt::format("{}, published", who)};
        for (const column_info& c : s.what->columns) {
            const double f = shows_published(*s.what, c) ? p.figures[c.phase] : 0;
            cells.push_back(f > 0 ? cell{number_in(c, f)} : cell{});
        }
        cells.resize(t.columns.size());
        t.add(std::move(cells)).is = row::kind::last;
    }
}

/// Every row measured and published, by groups.
table figures_table(const bench_result& result, const scenario_result& s, const marked_notes& notes) {
    table t = empty_table(result, *s.what);
    for (const row_group& g : html::group_rows(s)) {
        t.add_heading(g.note.empty() ? g.heading : fmt::format("{}: {}", g.heading, g.note));
        for (const tool::row* r : g.rows) {
            add_row(t, result, s, g, *r, notes);
        }
        for (std::size_t v = 0; v != s.what->variants.size(); ++v) {
            if (g.variant ? v == *g.variant : !s.what->variants[v].contender.empty()) {
                add_published(t, s, s.what->variants[v]);
            }
        }
    }
    return t;
}

/// The speed of each of Linn's variants by the best rival's, column by column.
void add_speeds(table& t, const bench_result& result, const scenario_result& s) {
    std::string_view last;
    for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
        const std::vector<comparison>& all = s.comparisons[i];
        const comparison_info& info = s.what->comparisons[i];
        if (all.empty()) {
            continue;
        }
        std::vector<cell> speeds{info.rivals_short};
        std::vector<cell> errors{"  +-"};
        for (const column_info& c : s.what->columns) {
            const auto found =
                std::ranges::find_if(all, [&](const comparison& one) { return one.phase == c.phase; });
            const bool is_there = is_speed(c) && found != all.end();
            speeds.push_back(is_there
                                 ? cell{figure_of(unit::times, found->speed_up)}.styled(style_of(found->says))
                                 : cell{});
            errors.push_back(is_there ? cell{figure_of(unit::share, found->uncertainty)} : cell{});
        }
        speeds.resize(t.columns.size());
        errors.resize(t.columns.size());
        if (last != info.ours) {
            t.add_heading(
                fmt::format("speed of {} by the best of", result.title_of(s, s.rows[all.front().ours])));
        }
        last = info.ours;
        t.add(std::move(speeds), emphasis::ours);
        if (std::ranges::any_of(all, [](const comparison& c) { return c.says != outcome::not_judged; })) {
            t.add(std::move(errors));
        }
    }
}

/// "map 0.4 %, list 12 %", or of many columns "0.4 % (map) to 12 % (list)"; empty where none is known.
std::string noise_text(const scenario_result& s) {
    std::vector<std::pair<double, std::string_view>> floors;
    for (std::size_t p = 0; p != s.noise.size(); ++p) {
        if (const auto gap = s.noise[p].floor) {
            floors.emplace_back(*gap, s.what->phases[p].title);
        }
    }
    const auto share = [](double gap) { return figure_of(unit::share, gap).text(); };
    constexpr std::size_t most_columns = 3; // of which each is named
    if (floors.size() > most_columns) {
        const auto [least, most] = std::ranges::minmax_element(floors);
        return fmt::format("{} ({}) to {} ({})", share(least->first), least->second, share(most->first),
                           most->second);
    }
    std::vector<std::string> parts;
    for (const auto& [gap, title] : floors) {
        parts.push_back(fmt::format("{} {}", title, share(gap)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// What a reader must know of the columns.
std::vector<std::string> remarks_of(const bench_result& result, const scenario_result& s) {
    std::vector<std::string> lines(s.what->remarks.begin(), s.what->remarks.end());
    if (!s.published.empty() && !s.what->published_remark.empty()) {
        lines.emplace_back(s.what->published_remark);
    }
    if (const tool::row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline)) {
        lines.push_back(fmt::format(
            "x glibc: geometric mean over all phases of the medians by those of {}; MiB: peak resident size",
            result.title_of(s, *baseline)));
    }
    if (const std::string noise = noise_text(s); !noise.empty()) {
        lines.push_back(fmt::format("noise floor, glibc against glibc again: {}{}", noise,
                                    why_not_judged(result).empty() ? "; " + tie_rule() : std::string{}));
    }
    if (s.repeated != 0) {
        lines.push_back(
            fmt::format("repeated because the machine was disturbed: {}; kept although it still was: {}",
                        counted(s.repeated, "sample"), s.disturbed));
    }
    return lines;
}

/// "What allocation costs: 500 objects of 64 bytes; cycles a pair; 25 % of the usual work; 10 rounds."
std::string what_it_measures(const bench_result& result, const scenario_result& s) {
    const std::string heading = heading_of(result.options, *s.what);
    std::string text{s.what->summary};
    if (heading != s.what->summary) {
        text += ": " + heading;
    }
    if (s.what->sized_by == work_size::percent && result.options.work != 100) {
        text += fmt::format("; {} % of the usual work", result.options.work);
    }
    const std::string rounds = counted(s.most_rounds, "round");
    return html::capitalised(s.least_rounds == s.most_rounds
                                 ? fmt::format("{}; {}.", text, rounds)
                                 : fmt::format("{}; {} to {}.", text, s.least_rounds, rounds));
}

std::string plots_caption(const bench_result& result, const scenario_result& s) {
    if (s.what->has_curves()) {
        return fmt::format("Nanoseconds by {} over the size of the block, both axes logarithmic and the same "
                           "everywhere. A cliff is a size that costs more than {} times the one before.",
                           s.what->operation, cliff_factor);
    }
    const tool::row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    return fmt::format("Time by the median of {}, on a logarithmic axis; left is faster. A dot is a process, "
                       "the upright mark the median, written at the end of the line, the bar its 95 % "
                       "interval. Shaded: the noise floor.",
                       baseline == nullptr ? std::string{baseline_name} : result.title_of(s, *baseline));
}

} // namespace

section scenario_section(const bench_result& result, const scenario_result& s, const marked_notes& notes) {
    section part{"scenario-" + std::string{s.what->name}, std::string{s.what->name}};
    // A terminal has the short table of the headline already.
    const bool is_headline = s.what->name == headline_name;
    part.add(paragraph{what_it_measures(result, s)}, is_headline ? forms::documents : forms::everywhere);
    part.add(picture{[&](html::id_source& ids) { return html::scenario_plots(ids, result, s); },
                     plots_caption(result, s)});
    table figures = figures_table(result, s, notes);
    figures.remarks = remarks_of(result, s);
    add_speeds(figures, result, s);
    part.add(std::move(figures), is_headline ? forms::documents : forms::everywhere);
    return part;
}

} // namespace linn::tool::report
