// SPDX-License-Identifier: Apache-2.0
#include "scan_document.hpp"

#include "../../measure/process.hpp"
#include "../../measure/shell_words.hpp"
#include "../../measure/sort_stably.hpp"
#include "../plots/curve_plot.hpp"
#include "../plots/run_plots.hpp"
#include "provenance.hpp"
#include "run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace linn::tool::report {
namespace {

constexpr const char* peak_metric = "peak_rss_bytes";
constexpr unsigned kept_columns = 2; // contenders that a narrow terminal keeps longest

/// A contender of any point.
struct scanned {
    std::string name;
    std::string title;
    bool is_default = false;
    double mean = 0; ///< geometric, of its ratios to the default
};

const estimate* estimate_at(const scan_point& point, const std::string& name, std::string_view metric) {
    const run_row* const row = point.run.find(name);
    return row == nullptr ? nullptr : row->find_estimate(metric);
}

/// The default, then the others, those that gain most first; not the control.
std::vector<scanned> contenders_of(const scan_result& scan, std::string_view metric) {
    std::vector<scanned> list;
    for (const scan_point& point : scan.points) {
        for (const run_row& row : point.run.rows) {
            const bool is_known = std::any_of(list.begin(), list.end(),
                                              [&](const scanned& s) { return s.name == row.contender.name; });
            if (!is_known && !row.contender.is_control() && row.find_estimate(metric) != nullptr) {
                list.push_back({row.contender.name, row.contender.title, row.contender.is_default(), 0});
            }
        }
    }
    for (scanned& s : list) {
        double sum = 0;
        std::size_t count = 0;
        for (const scan_point& point : scan.points) {
            if (const estimate* e = estimate_at(point, s.name, metric); e != nullptr && e->ratio > 0) {
                sum += std::log(e->ratio);
                ++count;
            }
        }
        s.mean = count == 0 ? 0 : sum / static_cast<double>(count);
    }
    sort_stably(list, [](const scanned& a, const scanned& b) {
        return a.is_default != b.is_default ? a.is_default : a.mean < b.mean;
    });
    return list;
}

cell ratio_at(const scan_point& point, const scanned& s, std::string_view metric) {
    const estimate* const e = estimate_at(point, s.name, metric);
    if (e == nullptr) {
        return {"-"};
    }
    const emphasis style = e->call == verdict::better  ? emphasis::good
                           : e->call == verdict::worse ? emphasis::bad
                                                       : emphasis::none;
    cell c = cell{figure_of(unit::ratio, e->ratio)}.styled(style);
    c.after = style == emphasis::good ? "<" : style == emphasis::bad ? ">" : " ";
    return c;
}

/// One metric: the default's value, and the ratios of the others to it.
table metric_table(const scan_result& scan, const metric_info& m) {
    const std::vector<scanned> contenders = contenders_of(scan, m.name);
    table t{fmt::format("{} at every point", html::capitalised(m.title)), {}};
    for (const scan_parameter& p : scan.parameters) {
        t.columns.push_back({.heading = p.name, .is_text = true});
    }
    unsigned place = 0;
    for (const scanned& s : contenders) {
        t.columns.push_back({.heading = s.title,
                             .group = s.is_default ? std::string{} : std::string{"ratio to the default"},
                             .droppable = place < kept_columns ? 0 : place});
        ++place;
    }
    for (const scan_point& point : scan.points) {
        std::vector<cell> cells(point.values.begin(), point.values.end());
        for (const scanned& s : contenders) {
            const estimate* const e = estimate_at(point, s.name, m.name);
            cells.push_back(!s.is_default  ? ratio_at(point, s, m.name)
                            : e == nullptr ? cell{"-"}
                                           : cell{value_of(m, e->median)});
        }
        t.add(std::move(cells));
    }
    return t;
}

std::optional<double> positive_number(const std::string& text) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc{} && stop == text.data() + text.size() && value > 0;
    return is_number ? std::optional{value} : std::nullopt;
}

/// The parameter that the plots go along: the first whose values are positive numbers, and more than one.
std::optional<std::size_t> plotted_parameter(const scan_result& scan) {
    for (std::size_t i = 0; i != scan.parameters.size(); ++i) {
        const std::vector<std::string>& values = scan.parameters[i].values;
        if (values.size() > 1 && std::all_of(values.begin(), values.end(), [](const std::string& v) {
                return positive_number(v).has_value();
            })) {
            return i;
        }
    }
    return std::nullopt;
}

/// Points that differ in the plotted parameter alone, by the label of the others.
std::vector<std::pair<std::string, std::vector<const scan_point*>>> series_of(const scan_result& scan,
                                                                              std::size_t along) {
    std::vector<std::pair<std::string, std::vector<const scan_point*>>> series;
    for (const scan_point& point : scan.points) {
        std::vector<scan_parameter> parameters = scan.parameters;
        std::vector<std::string> values = point.values;
        parameters.erase(parameters.begin() + static_cast<std::ptrdiff_t>(along));
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(along));
        const std::string label = scan_label(parameters, values);
        auto found =
            std::find_if(series.begin(), series.end(), [&](const auto& s) { return s.first == label; });
        if (found == series.end()) {
            found = series.insert(found, {label, {}});
        }
        found->second.push_back(&point);
    }
    return series;
}

html::markup draw_metric(html::id_source& ids, const scan_result& scan, std::size_t along,
                         const std::vector<const scan_point*>& points, const metric_info& m) {
    const bool is_time = m.unit == metric_info::unit::nanoseconds;
    std::vector<double> values;
    for (const scan_point* p : points) {
        for (const run_row& row : p->run.rows) {
            if (const estimate* e = row.find_estimate(m.name); e != nullptr) {
                values.push_back(e->median);
            }
        }
    }
    const scale in = common_scale(is_time ? unit::nanoseconds : unit::bytes, values);
    html::curve_plot plot{scan.parameters[along].name, fmt::format("{}, {}", m.title, in.name), {}, false};
    for (const scanned& s : contenders_of(scan, m.name)) {
        html::curve line{"median", html::stroke::solid, {}};
        for (const scan_point* p : points) {
            if (const estimate* e = estimate_at(*p, s.name, m.name); e != nullptr && e->median > 0) {
                line.points.push_back({*positive_number(p->values[along]), e->median / in.size});
            }
        }
        std::sort(line.points.begin(), line.points.end(),
                  [](const html::curve_point& a, const html::curve_point& b) { return a.x < b.x; });
        plot.panels.push_back(
            {s.title, {std::move(line)}, {}, s.is_default ? emphasis::muted : emphasis::none});
    }
    return html::draw(ids, plot);
}

void add_plots(section& s, const scan_result& scan, const metric_info& m) {
    const std::optional<std::size_t> along = plotted_parameter(scan);
    if (!along) {
        s.add(paragraph{"There is no plot: no parameter has several values that are positive numbers."},
              forms::html);
        return;
    }
    for (const auto& [label, points] : series_of(scan, *along)) {
        if (!label.empty()) {
            s.add(subheading{label}, forms::html);
        }
        s.add(picture{[&scan, at = *along, some = points, &m](html::id_source& ids) {
                          return draw_metric(ids, scan, at, some, m);
                      },
                      fmt::format("{} by {}, a panel for each allocator; both axes are logarithmic.",
                                  html::capitalised(m.title), scan.parameters[*along].name)},
              forms::html);
    }
}

const char* metric_of(const scan_result& scan) {
    const bool by_cpu = std::any_of(scan.points.begin(), scan.points.end(),
                                    [](const scan_point& p) { return p.run.judged_by == cpu_metric; });
    return by_cpu ? cpu_metric : wall_metric;
}

std::vector<std::string> warnings_of(const scan_result& scan) {
    std::vector<std::string> warnings;
    if (!scan.complete()) {
        warnings.push_back(
            fmt::format("{} of {} were measured", scan.points.size(), counted(scan.planned, "point")));
    }
    for (const scan_point& point : scan.points) {
        for (const std::string& warning : point.run.warnings) {
            // What is said of every point is said once.
            const bool is_of_all =
                std::all_of(scan.points.begin(), scan.points.end(), [&](const scan_point& p) {
                    return std::find(p.run.warnings.begin(), p.run.warnings.end(), warning) !=
                           p.run.warnings.end();
                });
            if (!is_of_all) {
                warnings.push_back(fmt::format("{}: {}", scan_label(scan.parameters, point.values), warning));
            } else if (&point == &scan.points.front()) {
                warnings.push_back(warning);
            }
        }
    }
    return warnings;
}

} // namespace

document scan_document(const scan_result& scan) {
    document d;
    d.verb = "linn run";
    d.title = "linn run --scan: " + program_name(scan.command);
    d.heading = fmt::format("Would another allocator make {} faster or smaller, and when?",
                            program_name(scan.command));
    d.lead = scan.verdict + '.';
    d.add(paragraph{shell_words(scan.command)});
    if (scan.points.empty()) {
        return d;
    }
    const run_result& first = scan.points.front().run;
    d.kicker = fmt::format("linn run · {} · {}", html::date_text(first.started), first.machine.cpu_model);
    const metric_info& judged = html::metric_named(metric_of(scan));
    const metric_info& memory = html::metric_named(peak_metric);
    section& time = d.add_section("time", html::capitalised(judged.title));
    add_plots(time, scan, judged);
    table main = metric_table(scan, judged);
    main.remarks.emplace_back("< and >: less and more than the default for certain, at that point");
    time.add(std::move(main));
    section& peak = d.add_section("memory", html::capitalised(memory.title));
    add_plots(peak, scan, memory);
    peak.add(metric_table(scan, memory));
    section& points = d.add_section("points", "Every point", forms::documents);
    for (const scan_point& p : scan.points) {
        points.add(subheading{scan_label(scan.parameters, p.values)}, forms::documents);
        points.add(paragraph{p.run.verdict}, forms::documents);
        points.add(estimates_table(p.run, judged), forms::html);
    }
    d.add_section("machine", "Program, machine and options").add(facts_of(first), forms::html);
    d.warnings = warnings_of(scan);
    d.provenance =
        html::provenance_text(first.started, first.machine, fmt::format("seed {}", first.options.seed));
    for (const scan_parameter& p : scan.parameters) {
        d.data.columns.push_back(p.name);
    }
    const std::vector<std::string> columns = run_data_columns();
    d.data.columns.insert(d.data.columns.end(), columns.begin(), columns.end());
    for (const scan_point& p : scan.points) {
        for (const run_row& row : p.run.rows) {
            for (const metric_info& m : metrics()) {
                const std::vector<datum> figures = run_data(p.run, row, m);
                if (!figures.empty()) {
                    std::vector<datum> line(p.values.begin(), p.values.end());
                    line.insert(line.end(), figures.begin(), figures.end());
                    d.data.rows.push_back(std::move(line));
                }
            }
        }
    }
    return d;
}

} // namespace linn::tool::report
