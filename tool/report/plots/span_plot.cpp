// SPDX-License-Identifier: Apache-2.0
#include "span_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::html {
namespace {

constexpr double line_height = 18; // page.css sets the labels to the same
constexpr double top = 22;
constexpr double bottom = 36;
constexpr double thickness = 10;

markup block(const std::string& style, double from, double to, double y) {
    return empty_element("rect", {{"class", style},
                                  {"x", across(from)},
                                  {"y", coordinate(y - thickness / 2)},
                                  {"width", across(to - from)},
                                  {"height", coordinate(thickness)}});
}

void draw_row(const span_plot& plot, const span_row& r, const linear_axis& scale, double y, markup& shapes,
              markup& words) {
    const std::string name = class_of(r.style);
    const std::string figures = typeset(plot.what, r.low, r.high);
    const double low = scale.place(r.low);
    const double high = scale.place(r.high);
    markup group = element("title", text(fmt::format("{}: {}", r.label, figures)));
    group += empty_element("rect", {{"class", "hit"},
                                    {"x", "0"},
                                    {"y", coordinate(y - line_height / 2)},
                                    {"width", "1000"},
                                    {"height", coordinate(line_height)}});
    group += block("fill", 0, low, y);
    group += block("possible", low, high, y);
    shapes += element("g", {{"class", "bar-row " + name}}, group);
    words +=
        element("text", {{"x", "100%"}, {"dx", "8"}, {"y", coordinate(y + 4)}, {"class", "value " + name}},
                text(figures));
}

} // namespace

markup draw(id_source& ids, const span_plot& plot) {
    if (plot.rows.empty()) {
        return {};
    }
    double most = 0;
    for (const span_row& r : plot.rows) {
        most = std::max({most, r.low, r.high});
    }
    const linear_axis scale{plot.what, most > 0 ? most * 1.05 : 0.01};
    markup labels;
    markup bars;
    markup words = element("text", {{"x", "0"}, {"y", "13"}, {"class", "panel-title"}}, text(plot.title));
    std::vector<std::string> spoken;
    double y = top;
    for (const span_row& r : plot.rows) {
        labels += element("li", {{"class", class_of(r.style)}, {"title", r.label}}, text(r.label));
        draw_row(plot, r, scale, y + line_height / 2, bars, words);
        spoken.push_back(fmt::format("{} {}", r.label, typeset(plot.what, r.low, r.high)));
        y += line_height;
    }
    std::string marks;
    for (const tick& t : scale.ticks(5)) {
        marks += fmt::format("M{} {}V{}", across(scale.place(t.value)), coordinate(top), coordinate(y + 4));
        words += words_at(scale.place(t.value), y + 16, "tick", t.label);
    }
    words += words_at(0.5, y + 31, "axis-title", plot.axis_title);
    const markup picture =
        stretching_svg(ids, plot.title, fmt::format("{}: {}.", plot.axis_title, fmt::join(spoken, ", ")),
                       y + bottom, empty_element("path", {{"class", "grid"}, {"d", marks}}) + bars, words);
    return strips_box(plot.title, "strips spans", 1,
                      element("ul", {{"class", "labels"}}, labels) +
                          element("div", {{"class", "panel"}}, picture));
}

} // namespace linn::tool::html
