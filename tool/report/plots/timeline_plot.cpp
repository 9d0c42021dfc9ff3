// SPDX-License-Identifier: Apache-2.0
#include "timeline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace linn::tool::html {
namespace {

constexpr double top = 22; // for the title
constexpr double plot_height = 110;
constexpr double bottom = 20;

double height_of(const linear_axis& scale, double value) {
    return top + plot_height * (1 - scale.place(value));
}

/// The outline of the steps, and with `closes` down to the base, so that it can be filled.
std::string path_of(const std::vector<double>& values, const linear_axis& scale, bool closes) {
    const double count = static_cast<double>(values.size());
    std::string path = closes ? fmt::format("M0 {}", coordinate(top + plot_height)) : std::string{};
    double last = -1;
    for (std::size_t i = 0; i != values.size(); ++i) {
        const double y = height_of(scale, values[i]);
        if (i == 0) {
            path += fmt::format("{}0 {}", closes ? 'L' : 'M', coordinate(y));
        } else if (y != last) {
            path += fmt::format("H{}V{}", across(static_cast<double>(i) / count), coordinate(y));
        }
        last = y;
    }
    path += "H1000";
    if (closes) {
        path += fmt::format("V{}Z", coordinate(top + plot_height));
    }
    return path;
}

/// `mark`: where a line stands, as a share of the width; negative: nowhere.
markup panel_of(id_source& ids, const timeline_series& s, const linear_axis& time, double mark) {
    const double most = *std::ranges::max_element(s.values);
    const linear_axis scale{s.what, most * 1.04};
    std::string marks;
    markup words = panel_title(13, s.note.empty() ? s.title : s.title + ": " + s.note);
    for (const tick& t : scale.ticks(4)) {
        const double y = height_of(scale, t.value);
        marks += fmt::format("M0 {}H1000", coordinate(y));
        words += words_before(y, t.label);
    }
    for (const tick& t : time.ticks(7)) {
        marks += fmt::format("M{} {}v4", across(time.place(t.value)), coordinate(top + plot_height));
        words += words_at(time.place(t.value), top + plot_height + 16, "tick", t.label);
    }
    markup shapes = path_element("grid", marks);
    shapes += path_element("area", path_of(s.values, scale, true));
    shapes += path_element("edge", path_of(s.values, scale, false));
    if (mark >= 0) {
        shapes += path_element(
            "peak", fmt::format("M{} {}v{}", across(mark), coordinate(top), coordinate(plot_height)));
    }
    shapes += path_element("cursor", "");
    shapes += empty_element("rect", {{"class", "hit"},
                                     {"x", "0"},
                                     {"y", coordinate(top)},
                                     {"width", "1000"},
                                     {"height", coordinate(plot_height)}});
    const double end = s.values.back();
    return element("div", {{"class", "panel"}},
                   stretching_svg(ids, s.title,
                                  fmt::format("{} over {}: at most {}, {} at the end.", s.title,
                                              typeset(unit::nanoseconds, time.high()), typeset(s.what, most),
                                              typeset(s.what, end)),
                                  top + plot_height + bottom, shapes, words));
}

/// The values as the script reads them: a line a series, each with what names and marks it.
markup data_of(const timeline_plot& plot) {
    markup list;
    for (const timeline_series& s : plot.series) {
        std::string values;
        for (const double v : s.values) {
            values += fmt::format("{}{:.6g}", values.empty() ? "" : " ", v);
        }
        const char* kind = s.what == unit::bytes ? "bytes" : "count";
        list += element("data", {{"value", values}, {"data-kind", kind}, {"data-title", s.title}}, {});
    }
    return list;
}

} // namespace

std::vector<double> fewer_steps(const std::vector<double>& values, std::size_t most, bool is_mean,
                                std::size_t& width) {
    width = std::max<std::size_t>(1, (values.size() + most - 1) / most);
    std::vector<double> fewer;
    for (std::size_t from = 0; from < values.size(); from += width) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(from + width, values.size()));
        fewer.push_back(is_mean ? std::accumulate(first, end, 0.0) / static_cast<double>(end - first)
                                : *std::max_element(first, end));
    }
    return fewer;
}

markup draw(id_source& ids, const timeline_plot& plot) {
    const bool any = plot.step_ns > 0 && !plot.series.empty() &&
                     std::ranges::all_of(plot.series, [&](const timeline_series& s) {
                         return s.values.size() == plot.series.front().values.size() && !s.values.empty();
                     });
    if (!any) {
        return {};
    }
    const double count = static_cast<double>(plot.series.front().values.size());
    const linear_axis time{unit::nanoseconds, plot.step_ns * count};
    markup panels;
    const double peak = plot.peak_ns < 0 ? -1 : std::min(time.place(plot.peak_ns), 1.0);
    for (const timeline_series& s : plot.series) {
        panels += panel_of(ids, s, time, &s == &plot.series.front() ? peak : -1);
    }
    panels += element("p", {{"class", "readout"}}, {});
    return element("div",
                   {{"class", "timeline"},
                    {"role", "group"},
                    {"aria-label", plot.title},
                    {"data-step", fmt::format("{:.6g}", plot.step_ns)}},
                   panels + data_of(plot));
}

namespace {

std::vector<double> as_doubles(const std::vector<std::uint64_t>& values) {
    return {values.begin(), values.end()};
}

} // namespace

markup run_over_time(id_source& ids, const trace_analysis& t) {
    std::size_t width = 1;
    timeline_plot plot{"Over the run", 0, {}};
    const auto add = [&](const char* title, unit what, std::vector<double> values) {
        if (!values.empty()) {
            plot.series.push_back({title, what, std::move(values), {}});
        }
    };
    const bool has_peak = t.all.peak_live_bytes != 0;
    plot.peak_ns = has_peak ? static_cast<double>(t.peak_ns) : -1;
    add("Live bytes", unit::bytes,
        fewer_steps(as_doubles(t.over_time.live_bytes), most_timeline_steps, false, width));
    if (has_peak && !plot.series.empty()) {
        plot.series.front().note =
            fmt::format("at most {}, at {}", typeset(unit::bytes, static_cast<double>(t.all.peak_live_bytes)),
                        typeset(unit::nanoseconds, static_cast<double>(t.peak_ns)));
    }
    add("Live blocks", unit::count,
        fewer_steps(as_doubles(t.over_time.live_blocks), most_timeline_steps, false, width));
    std::vector<double> rate = as_doubles(t.over_time.events);
    const double step_s = static_cast<double>(t.over_time.step_ns) / 1e9;
    for (double& v : rate) {
        v = step_s > 0 ? v / step_s : 0;
    }
    add("Events a second", unit::count, fewer_steps(rate, most_timeline_steps, true, width));
    plot.step_ns = static_cast<double>(t.over_time.step_ns) * static_cast<double>(width);
    return draw(ids, plot);
}

} // namespace linn::tool::html
