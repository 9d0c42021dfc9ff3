// SPDX-License-Identifier: Apache-2.0
#include "variant_table.hpp"

#include "../bench/cliffs.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// Published once a way and not by phase, so it stands in a column of its own.
bool has_published_column(const scenario& s) {
    return s.published_unit == "unstated";
}

/// Whether figures that were published by phase are in the unit of this column.
bool shows_published(const scenario& s, const column_info& c) {
    return c.shows == (s.published_unit == "cycles" ? figure::cycles : figure::time);
}

/// "64K x20", with a plus when there is more than one.
std::string cliff_text(const scenario& s, const row& r, unsigned threads) {
    const std::vector<cliff> cliffs = cliffs_on(s, r, threads);
    if (cliffs.empty())
        return "-";
    return fmt::format("{} x{:.0f}{}", short_size(s.phases[cliffs.front().phase].bytes),
                       cliffs.front().factor, cliffs.size() > 1 ? "+" : "");
}

std::string cell_text(const bench_result& result, const scenario& s, const row& r, const column_info& c) {
    if (c.shows == figure::cliff)
        return cliff_text(s, r, s.phases[c.phase].threads);
    if (c.shows == figure::metric) {
        const auto value = r.metric(c.phase, c.metric);
        return value ? fmt::format("{:.0f} %", *value * c.factor) : "";
    }
    if (c.shows == figure::memory) {
        const auto value = r.metric(c.phase, c.metric);
        return value ? fmt::format("{:.0f}", std::ceil(*value * c.factor)) : "-";
    }
    if (c.shows == figure::metric_time) {
        const auto value = r.metric(c.phase, c.metric);
        return value ? three_digits(*value / result.machine.ticks_per_ns * c.factor, c.decimals) : "-";
    }
    const phase_figures* const f = r.in(c.phase);
    if (f == nullptr)
        return "-";
    const auto show = [&](double value) { return three_digits(value, c.decimals); };
    switch (c.shows) {
    case figure::faults:
        return f->faults < 0.0005 ? "0" : three_digits(f->faults, 3);
    case figure::cycles:
        return show(f->cycles.median.middle);
    case figure::minimum:
        return show(f->cycles.minimum);
    case figure::bounds:
        return f->cycles.median.is_known()
                   ? fmt::format("{}-{}", show(f->cycles.median.low), show(f->cycles.median.high))
                   : "";
    case figure::rate:
        return show(1e9 / f->ns.median.middle * c.factor);
    default:
        return show(f->ns.median.middle * c.factor);
    }
}

class table_builder {
public:
    table_builder(const bench_result& result, const scenario_result& s,
                  const std::map<std::string, int>& marks)
        : result_{&result},
          s_{&s},
          marks_{&marks},
          table_{columns(*s.what)} {
        for (std::size_t v = 0; v != s.what->variants.size(); ++v)
            add_variant(v);
        std::string_view last;
        for (std::size_t i = 0; i != s.comparisons.size(); ++i)
            add_comparison(i, last);
    }

    const table& finished() const noexcept { return table_; }

private:
    static std::vector<table_column> columns(const scenario& s) {
        std::vector<table_column> list{{"", "", true, 0}};
        for (const column_info& c : s.columns)
            list.push_back({std::string{c.title}, std::string{c.group}, false, c.droppable});
        list.push_back({"x glibc", "", false, 2});
        if (!s.shows_memory())
            list.push_back({"MiB", "", false, 1});
        if (has_published_column(s))
            list.push_back({"published", "", false, 1});
        return list;
    }

    void add_variant(std::size_t number) {
        const std::vector<const row*> rows = s_->sorted_rows(number);
        if (rows.empty())
            return;
        const variant_info& v = s_->what->variants[number];
        if (!v.contender.empty()) {
            add(*rows.front(), std::string{v.title});
            if (const published_row* p = s_->find_published(v.contender, v.name))
                add_published(*p, "  published");
            return;
        }
        table_.add_heading(v.note.empty() ? std::string{v.title} : fmt::format("{}: {}", v.title, v.note));
        for (const row* r : rows) {
            const contender& c = result_->contenders[r->contender];
            std::string title = "  " + c.title;
            if (const auto mark = marks_->find(c.name); mark != marks_->end())
                title += fmt::format(" [{}]", mark->second);
            add(*r, std::move(title));
            if (const published_row* p = s_->find_published(c.name, v.name))
                add_published(*p, "    published");
        }
        for (const published_row& p : s_->published)
            if (p.variant == v.name && !p.contender.empty() &&
                s_->find(result_->contenders, p.contender, v.name) == nullptr)
                add_published(p, fmt::format("  {}, published", p.contender));
    }

    void add(const row& r, std::string title) {
        std::vector<std::string> cells{std::move(title)};
        for (const column_info& c : s_->what->columns)
            cells.push_back(cell_text(*result_, *s_->what, r, c));
        cells.push_back(r.ratio > 0 ? fmt::format("{:.2f}", r.ratio) : "-");
        if (!s_->what->shows_memory())
            cells.push_back(fmt::format("{:.0f}", std::ceil(r.peak_rss_bytes / (1024 * 1024))));
        const std::string& name = result_->contenders[r.contender].name;
        if (has_published_column(*s_->what)) {
            const published_row* published = s_->find_published(name, s_->variant_of(r).name);
            cells.push_back(published != nullptr ? published_text(*published) : "");
        }
        table_.add_row(std::move(cells), name == linn_name);
    }

    /// What was published phase by phase, in the unit of the columns, stands below the row of the same contender.
    void add_published(const published_row& published, std::string title) {
        if (has_published_column(*s_->what))
            return;
        std::vector<std::string> cells{std::move(title)};
        for (const column_info& c : s_->what->columns) {
            const double f = shows_published(*s_->what, c) ? published.figures[c.phase] : 0;
            cells.push_back(f != 0 ? three_digits(f, c.decimals) : "");
        }
        cells.resize(columns(*s_->what).size());
        table_.add_row(std::move(cells));
    }

    /// The speed of one way of Linn's by the best rival's, column by column, under a heading of that way.
    void add_comparison(std::size_t number, std::string_view& last_ours) {
        const std::vector<comparison>& all = s_->comparisons[number];
        const comparison_info& info = s_->what->comparisons[number];
        std::vector<std::string> cells{fmt::format("  {}", info.rivals_short)};
        std::vector<std::string> errors{"    +-"};
        bool any = false;
        bool is_judged = false;
        for (const column_info& c : s_->what->columns) {
            const bool is_speed =
                c.shows == figure::time || c.shows == figure::rate || c.shows == figure::cycles;
            const auto found = std::find_if(all.begin(), all.end(), [&](const comparison& one) {
                return is_speed && one.phase == c.phase;
            });
            any = any || found != all.end();
            cells.push_back(found != all.end() ? three_digits(found->speed_up, 2) : "");
            const bool is_known = found != all.end() && found->says != outcome::not_judged;
            is_judged = is_judged || is_known;
            errors.push_back(is_known ? fmt::format("{:.0f} %", found->uncertainty * 100) : "");
        }
        if (!any)
            return;
        const std::size_t width = columns(*s_->what).size();
        cells.resize(width);
        errors.resize(width);
        if (last_ours != info.ours)
            table_.add_heading(fmt::format("speed of {} by the best of:",
                                           result_->title_of(*s_, s_->rows[all.front().ours])));
        last_ours = info.ours;
        table_.add_row(std::move(cells), true);
        if (is_judged)
            table_.add_row(std::move(errors));
    }

    const bench_result* result_;
    const scenario_result* s_;
    const std::map<std::string, int>* marks_;
    table table_;
};

} // namespace

std::string three_digits(double value, int decimals) {
    if (!(value > 0))
        return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(value)));
    return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, decimals));
}

std::string variant_report(const bench_result& result, const scenario_result& s,
                           const std::map<std::string, int>& marks, const output_style& style) {
    const table_builder builder{result, s, marks};
    const table& t = builder.finished();
    return t.render(style) + prose_lines(common_remarks(result, s, t.dropped(style)), style.width);
}

} // namespace linn::tool
