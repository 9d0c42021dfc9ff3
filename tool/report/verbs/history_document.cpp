// SPDX-License-Identifier: Apache-2.0
#include "history_document.hpp"

#include "../plots/curve_plot.hpp"
#include "provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace linn::tool::report {
namespace {

constexpr std::size_t least_rows = 20; // of a terminal, where fewer have a step
constexpr std::size_t most_panels = 60;

std::string file_name(const result_history& h, std::size_t file) {
    return std::filesystem::path{h.files[file].path}.filename().string();
}

quantity median_of(const history_row& r, double value) {
    quantity q = figure_of(r.unit == "ns"      ? unit::nanoseconds
                           : r.unit == "bytes" ? unit::bytes
                                               : unit::number,
                           value);
    q.digits = 4;
    return q;
}

bool is_step(const history_point& p) {
    return p.step == change_kind::regression || p.step == change_kind::improvement;
}

/// "+12.3 % in new.json, -4.0 % in newer.json".
std::string steps_text(const result_history& h, const history_row& r) {
    std::string words;
    for (const history_point& p : r.points) {
        if (is_step(p)) {
            words += fmt::format("{}{} in {}", words.empty() ? "" : ", ", written(unit::change, p.change),
                                 file_name(h, p.file));
        }
    }
    return words;
}

cell overall_change(const history_row& r) {
    const double first = r.points.front().median;
    return first > 0 ? cell{figure_of(unit::change, r.points.back().median / first - 1)} : cell{"-"};
}

table rows_table(const result_history& h, std::size_t shown) {
    table t{"Medians of the first and the last result that have the row",
            {{.heading = "what", .is_text = true, .shorten = cut::end, .least = 40},
             {.heading = "first", .droppable = 2},
             {.heading = "last", .droppable = 1},
             {.heading = "change"},
             {.heading = "certain steps", .is_text = true, .droppable = 3, .goes_below = true}}};
    for (std::size_t i = 0; i != std::min(shown, h.rows.size()); ++i) {
        const history_row& r = h.rows[i];
        const double step = r.largest_step();
        t.add({describe(r.name), median_of(r, r.points.front().median), median_of(r, r.points.back().median),
               overall_change(r), steps_text(h, r)},
              step > 0   ? emphasis::bad
              : step < 0 ? emphasis::good
                         : emphasis::none);
    }
    if (h.rows.size() > shown) {
        t.remarks.push_back(
            fmt::format("and {} more without a certain step; --json has all", h.rows.size() - shown));
    }
    return t;
}

html::markup draw_rows(html::id_source& ids, const result_history& h) {
    html::curve_plot plot{"result", "by the first result", {}, false, true};
    for (const history_row& r : h.rows) {
        const double first = r.points.front().median;
        if (plot.panels.size() == most_panels || !(first > 0)) {
            continue;
        }
        html::curve line{"median by that of the first result", html::stroke::solid, {}};
        for (const history_point& p : r.points) {
            line.points.push_back({static_cast<double>(p.file + 1), p.median / first});
        }
        const double step = r.largest_step();
        // A panel has room for the half of its name only.
        std::string remark = r.name.scenario + (r.name.variant.empty() ? "" : ", " + r.name.variant);
        if (step != 0) {
            remark += (remark.empty() ? "" : ": ") + written(unit::change, step, lettering::typeset);
        }
        plot.panels.push_back({fmt::format("{}, {}", r.name.contender, r.name.measure),
                               {std::move(line)},
                               std::move(remark),
                               step > 0   ? emphasis::bad
                               : step < 0 ? emphasis::good
                                          : emphasis::none});
    }
    return html::draw(ids, plot);
}

table files_table(const result_history& h) {
    table t{"The results by the time at which they began",
            {{.heading = "result"},
             {.heading = "file", .is_text = true, .shorten = cut::front, .least = 16},
             {.heading = "began", .is_text = true},
             {.heading = "version", .is_text = true, .droppable = 1},
             {.heading = "steps"}}};
    for (std::size_t i = 0; i != h.files.size(); ++i) {
        std::size_t steps = 0;
        for (const history_row& r : h.rows) {
            steps += static_cast<std::size_t>(
                std::count_if(r.points.begin(), r.points.end(),
                              [&](const history_point& p) { return p.file == i && is_step(p); }));
        }
        t.add({figure_of(unit::count, static_cast<double>(i + 1)), file_name(h, i),
               h.files[i].started + (h.files[i].complete ? "" : " (partial)"), h.files[i].version,
               figure_of(unit::count, static_cast<double>(steps))});
    }
    return t;
}

void add_data(document& d, const result_history& h) {
    d.data.columns = {"scenario", "variant", "contender", "measure", "unit",   "result",
                      "file",     "started", "median",    "samples", "change", "step"};
    for (const history_row& r : h.rows) {
        for (const history_point& p : r.points) {
            const bool is_first = &p == &r.points.front();
            d.data.rows.push_back({r.name.scenario, r.name.variant, r.name.contender, r.name.measure, r.unit,
                                   static_cast<std::uint64_t>(p.file + 1), h.files[p.file].path,
                                   h.files[p.file].started, p.median, static_cast<std::uint64_t>(p.samples),
                                   is_first || !std::isfinite(p.change) ? datum{} : datum{p.change},
                                   is_first ? datum{} : datum{to_string(p.step)}});
        }
    }
}

} // namespace

document history_document(const result_history& h) {
    document d;
    d.verb = "linn compare";
    d.title = "linn compare --history";
    d.heading = "What changed from result to result?";
    d.kicker = fmt::format("{} to {}", html::date_text(h.files.front().started),
                           html::date_text(h.files.back().started));
    d.lead = h.verdict + '.';
    d.add(paragraph{
        fmt::format("Compared: {}, each result with the one before it. A step is certain when it is larger "
                    "than {} and than the "
                    "noise floor of both files, and significant at {} over all rows and results together.",
                    h.options.by == compare_by::ratio ? "ratios to the reference of the same file" : "values",
                    level_text(h.options.threshold), level_text(h.options.level))});
    section& rows = d.add_section("rows", "Every row");
    rows.add(picture{[&h](html::id_source& ids) { return draw_rows(ids, h); },
                     "A panel for each row, those with the largest certain step first: the medians by that "
                     "of the first "
                     "result, in the order of the results, which have equal distances. The vertical axis is "
                     "logarithmic."},
             forms::html);
    rows.add(rows_table(h, std::max(h.rows_with_steps(), least_rows)), forms::text);
    rows.add(rows_table(h, h.rows.size()), forms::html);
    d.add_section("results", "Results").add(files_table(h));
    d.warnings = h.skipped;
    add_data(d, h);
    return d;
}

} // namespace linn::tool::report
