// SPDX-License-Identifier: Apache-2.0
#include "bar_plot.hpp"

#include "../../measure/statistics.hpp"
#include "axis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::html {
namespace {

constexpr double line_height = 18; // page.css sets the labels to the same
constexpr double top = 22;
constexpr double bottom = 36;
constexpr double thickness = 10;

bool is_cut(const bar_plot& plot, const bar& b) {
    return plot.most > 0 && (b.value > plot.most || b.value * plot.most < 1);
}

/// Two gaps across the end of a bar that goes on.
markup break_of(double end, double y) {
    const double sign = end > 0.5 ? -1 : 1;
    std::string gaps;
    for (const double place : {0.02, 0.035}) {
        gaps += fmt::format("M{} {}V{}", across(end + sign * place), coordinate(y - thickness / 2 - 1),
                            coordinate(y + thickness / 2 + 1));
    }
    return empty_element("path", {{"class", "break"}, {"d", gaps}});
}

void draw_bar(const bar& b, bool is_cut, const axis& scale, double y, markup& shapes, markup& words) {
    const double from = scale.place(std::min(1.0, b.value));
    const double to = scale.place(std::max(1.0, b.value));
    const bool has_range = are_bounds(b.low, b.high) && b.low != b.high;
    const std::string range =
        has_range ? fmt::format(" ({} to {})", typeset(unit::times, b.low), typeset(unit::times, b.high))
                  : std::string{};
    markup group = element(
        "title", text(fmt::format("{}: {} × {}{}", b.label, typeset(unit::times, b.value), b.remark, range)));
    group += empty_element("rect", {{"class", "hit"},
                                    {"x", "0"},
                                    {"y", coordinate(y - line_height / 2)},
                                    {"width", "1000"},
                                    {"height", coordinate(line_height)}});
    group += empty_element("rect", {{"class", "fill"},
                                    {"x", across(from)},
                                    {"y", coordinate(y - thickness / 2)},
                                    {"width", across(to - from)},
                                    {"height", coordinate(thickness)}});
    if (is_cut) {
        group += break_of(b.value > 1 ? to : from, y);
    } else if (has_range) {
        group += empty_element("path", {{"class", "whisker"},
                                        {"d", fmt::format("M{} {}H{}", across(scale.place(b.low)),
                                                          coordinate(y), across(scale.place(b.high)))}});
    }
    shapes += element("g", {{"class", "bar-row " + class_of(b.style)}}, group);
    words += element(
        "text",
        {{"x", "100%"}, {"dx", "8"}, {"y", coordinate(y + 4)}, {"class", "value " + class_of(b.style)}},
        text(typeset(unit::times, b.value)) +
            element("tspan", {{"class", "remark"}}, text(b.remark.empty() ? "" : " × " + b.remark)));
}

axis axis_of(const bar_plot& plot) {
    value_range range;
    range.add(1);
    for (const bar_group& g : plot.groups) {
        for (const bar& b : g.bars) {
            for (const double v : {b.value, b.low, b.high}) {
                range.add(plot.most > 0 ? std::clamp(v, 1 / plot.most, plot.most) : v);
            }
        }
    }
    return range.logarithmic();
}

} // namespace

markup draw(id_source& ids, const bar_plot& plot) {
    const axis scale = axis_of(plot);
    markup labels;
    markup bars;
    markup words;
    std::vector<std::string> spoken;
    double y = top;
    for (const bar_group& g : plot.groups) {
        if (g.bars.empty()) {
            continue;
        }
        if (!g.heading.empty()) {
            labels += element("li", {{"class", "heading"}, {"title", g.heading}}, text(g.heading));
            y += line_height;
        }
        for (const bar& b : g.bars) {
            labels += element("li", {{"class", class_of(b.style)}, {"title", b.label}}, text(b.label));
            draw_bar(b, is_cut(plot, b), scale, y + line_height / 2, bars, words);
            spoken.push_back(fmt::format("{} {}", b.label, typeset(unit::times, b.value)));
            y += line_height;
        }
    }
    if (spoken.empty()) {
        return {};
    }
    std::string marks;
    for (const tick& t : scale.ticks(7)) {
        marks += fmt::format("M{} {}V{}", across(scale.place(t.value)), coordinate(top), coordinate(y + 4));
        words += words_at(scale.place(t.value), y + 16, "tick", t.label);
    }
    words += words_at(0.5, y + 31, "axis-title", plot.axis_title);
    words += element("text", {{"x", "0"}, {"y", "13"}, {"class", "panel-title"}}, text(plot.title));
    const markup one =
        empty_element("path", {{"class", "one"},
                               {"d", fmt::format("M{} {}V{}", across(scale.place(1)), top, coordinate(y))}});
    const markup picture = stretching_svg(
        ids, plot.title, fmt::format("{}: {}.", plot.axis_title, fmt::join(spoken, ", ")), y + bottom,
        empty_element("path", {{"class", "grid"}, {"d", marks}}) + bars + one, words);
    return strips_box(plot.title, "strips bars", 1,
                      element("ul", {{"class", "labels"}}, labels) +
                          element("div", {{"class", "panel"}}, picture));
}

} // namespace linn::tool::html
