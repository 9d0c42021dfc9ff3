// SPDX-License-Identifier: Apache-2.0
#include "variant_table.hpp"

#include "../bench/cliffs.hpp"
#include "../measure/statistics.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

/// Published once a way and not by phase, so it stands in a column of its own.
bool has_published_column(const scenario& s) {
    return s.published_unit == "unstated";
}

/// "64K x20", with a plus when there is more than one.
std::string cliff_text(const scenario& s, const row& r, unsigned threads) {
    const std::vector<cliff> cliffs = find_cliffs(s, r, threads);
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
    if (!r.has(c.phase))
        return "-";
    if (c.shows == figure::faults) {
        const double faults = median(r.faults(c.phase));
        return faults < 0.0005 ? "0" : three_digits(faults, 3);
    }
    const double ns = median(r.cycles(c.phase)) / result.machine.ticks_per_ns;
    return three_digits(c.shows == figure::rate ? 1e9 / ns * c.factor : ns * c.factor, c.decimals);
}

/// The rows of one variant, fastest first.
std::vector<const row*> rows_of(const bench_result& result, const scenario_result& s, std::size_t variant) {
    std::vector<const row*> rows;
    for (const row& r : s.rows)
        if (r.variant == variant)
            rows.push_back(&r);
    std::sort(rows.begin(), rows.end(), [&](const row* a, const row* b) {
        return std::pair{ratio_to_baseline(result, s, *a), a->contender} <
               std::pair{ratio_to_baseline(result, s, *b), b->contender};
    });
    return rows;
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
        for (const comparison_info& c : s.what->comparisons)
            add_comparison(c, last);
    }

    const table& finished() const noexcept { return table_; }

private:
    static std::vector<table_column> columns(const scenario& s) {
        std::vector<table_column> list{{"", "", true, 0}};
        for (const column_info& c : s.columns)
            list.push_back({std::string{c.title}, std::string{c.group}, false, c.droppable});
        if (!s.shows_memory())
            list.push_back({"MiB", "", false, 1});
        if (has_published_column(s))
            list.push_back({"published", "", false, 1});
        return list;
    }

    void add_variant(std::size_t number) {
        const std::vector<const row*> rows = rows_of(*result_, *s_, number);
        if (rows.empty())
            return;
        const variant_info& v = s_->what->variants[number];
        if (!v.contender.empty()) {
            add(*rows.front(), std::string{v.title});
            return;
        }
        table_.add_heading(v.note.empty() ? std::string{v.title} : fmt::format("{}: {}", v.title, v.note));
        for (const row* r : rows) {
            const contender& c = result_->contenders[r->contender];
            std::string title = "  " + c.title;
            if (const auto mark = marks_->find(c.name); mark != marks_->end())
                title += fmt::format(" [{}]", mark->second);
            add(*r, std::move(title));
            if (const published_row* p = find_published(*s_->what, c.name, v.name))
                add_published(*p, "    published");
        }
        for (const published_row& p : s_->what->published)
            if (p.variant == v.name && !p.contender.empty() &&
                s_->find(result_->contenders, p.contender, v.name) == nullptr)
                add_published(p, fmt::format("  {}, published", p.contender));
    }

    void add(const row& r, std::string title) {
        std::vector<std::string> cells{std::move(title)};
        for (const column_info& c : s_->what->columns)
            cells.push_back(cell_text(*result_, *s_->what, r, c));
        if (!s_->what->shows_memory())
            cells.push_back(fmt::format("{:.0f}", std::ceil(r.peak_rss_bytes() / (1024 * 1024))));
        const std::string& name = result_->contenders[r.contender].name;
        if (has_published_column(*s_->what)) {
            const published_row* published = find_published(*s_->what, name, s_->variant_of(r));
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
            const double f = c.shows == figure::time ? published.figures[c.phase] : 0;
            cells.push_back(f != 0 ? three_digits(f, c.decimals) : "");
        }
        if (!s_->what->shows_memory())
            cells.emplace_back();
        table_.add_row(std::move(cells));
    }

    /// The speed of one way of Linn's by the best rival's, column by column, under a heading of that way.
    void add_comparison(const comparison_info& info, std::string_view& last_ours) {
        const row* ours = s_->find(result_->contenders, linn_name, info.ours);
        if (ours == nullptr)
            return;
        std::vector<std::string> cells{fmt::format("  {}", info.rivals_short)};
        bool any = false;
        for (const column_info& c : s_->what->columns) {
            std::optional<comparison> found;
            if (c.shows == figure::time || c.shows == figure::rate)
                found = compare(*result_, *s_, info, c.phase);
            any = any || found;
            cells.push_back(found ? three_digits(found->speed_up, 2) : "");
        }
        if (!any)
            return;
        if (!s_->what->shows_memory())
            cells.emplace_back();
        if (has_published_column(*s_->what))
            cells.emplace_back();
        if (last_ours != info.ours)
            table_.add_heading(fmt::format("speed of {} by the best of:", result_->title_of(*s_, *ours)));
        last_ours = info.ours;
        table_.add_row(std::move(cells), true);
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
    std::vector<std::string> lines;
    for (const std::string_view remark : s.what->remarks)
        lines.emplace_back(remark);
    for (std::string& line : common_remarks(result, s, t.dropped(style)))
        lines.push_back(std::move(line));
    return t.render(style) + prose_lines(lines, style.width);
}

} // namespace linn::tool
