// SPDX-License-Identifier: Apache-2.0
#include "bar_plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::html {
namespace {

constexpr double line_height = 18; // page.css sets the labels to the same
constexpr double bottom = 36;

} // namespace

markup bar_block(std::string_view style_class, double from, double to, double y, double height) {
    return empty_element("rect", {{"class", std::string{style_class}},
                                  {"x", across(from)},
                                  {"y", coordinate(y - height / 2)},
                                  {"width", across(to - from)},
                                  {"height", coordinate(height)}});
}

void bar_frame::add_heading(std::string_view words) {
    labels_ += element("li", {{"class", "heading"}, {"title", std::string{words}}}, text(words));
    y_ += line_height;
}

double bar_frame::next_y() const noexcept {
    return y_ + line_height / 2;
}

void bar_frame::add_row(std::string_view label, emphasis style, std::string_view tip, const markup& shapes,
                        const markup& figure, std::string spoken) {
    const double y = next_y();
    const std::string name = class_of(style);
    labels_ += element("li", {{"class", name}, {"title", std::string{label}}}, text(label));
    bars_ += element("g", {{"class", "bar-row " + name}},
                     element("title", text(tip)) + bar_block("hit", 0, 1, y, line_height) + shapes);
    words_ += element(
        "text", {{"x", "100%"}, {"dx", "8"}, {"y", coordinate(y + 4)}, {"class", "value " + name}}, figure);
    spoken_.push_back(std::move(spoken));
    y_ += line_height;
}

void bar_frame::add_line(std::string_view style_class, double share) {
    lines_ += empty_element(
        "path", {{"class", std::string{style_class}},
                 {"d", fmt::format("M{} {}V{}", across(share), coordinate(top), coordinate(y_))}});
}

markup bar_frame::picture(id_source& ids, const std::string& title, const std::string& axis_title,
                          std::string_view classes, const std::vector<tick>& marks) const {
    std::string grid;
    markup words = element("text", {{"x", "0"}, {"y", "13"}, {"class", "panel-title"}}, text(title)) + words_;
    for (const tick& t : marks) {
        grid += fmt::format("M{} {}V{}", across(t.value), coordinate(top), coordinate(y_ + 4));
        words += words_at(t.value, y_ + 16, "tick", t.label);
    }
    words += words_at(0.5, y_ + 31, "axis-title", axis_title);
    const markup picture =
        stretching_svg(ids, title, fmt::format("{}: {}.", axis_title, fmt::join(spoken_, ", ")), y_ + bottom,
                       empty_element("path", {{"class", "grid"}, {"d", grid}}) + bars_ + lines_, words);
    return strips_box(title, classes, 1,
                      element("ul", {{"class", "labels"}}, labels_) +
                          element("div", {{"class", "panel"}}, picture));
}

namespace {

bool is_cut(const bar_plot& plot, const bar& b) {
    return plot.most > 0 && (b.value > plot.most || b.value * plot.most < 1);
}

/// Two gaps across the end of a bar that goes on.
markup break_of(double end, double y) {
    const double sign = end > 0.5 ? -1 : 1;
    const double half = bar_frame::thickness / 2 + 1;
    std::string gaps;
    for (const double place : {0.02, 0.035}) {
        gaps +=
            fmt::format("M{} {}V{}", across(end + sign * place), coordinate(y - half), coordinate(y + half));
    }
    return empty_element("path", {{"class", "break"}, {"d", gaps}});
}

void add_bar(bar_frame& frame, const bar& b, bool is_cut, const axis& scale) {
    const double y = frame.next_y();
    const double from = scale.place(std::min(1.0, b.value));
    const double to = scale.place(std::max(1.0, b.value));
    const bool has_range = are_bounds(b.low, b.high) && b.low != b.high;
    const std::string value = typeset(unit::times, b.value);
    const std::string range =
        has_range ? fmt::format(" ({} to {})", typeset(unit::times, b.low), typeset(unit::times, b.high))
                  : std::string{};
    markup shapes = bar_block("fill", from, to, y, bar_frame::thickness);
    if (is_cut) {
        shapes += break_of(b.value > 1 ? to : from, y);
    } else if (has_range) {
        shapes += empty_element("path", {{"class", "whisker"},
                                         {"d", fmt::format("M{} {}H{}", across(scale.place(b.low)),
                                                           coordinate(y), across(scale.place(b.high)))}});
    }
    frame.add_row(b.label, b.style, fmt::format("{}: {} × {}{}", b.label, value, b.remark, range), shapes,
                  text(value) +
                      element("tspan", {{"class", "remark"}}, text(b.remark.empty() ? "" : " × " + b.remark)),
                  fmt::format("{} {}", b.label, value));
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
    bar_frame frame;
    for (const bar_group& g : plot.groups) {
        if (!g.bars.empty() && !g.heading.empty()) {
            frame.add_heading(g.heading);
        }
        for (const bar& b : g.bars) {
            add_bar(frame, b, is_cut(plot, b), scale);
        }
    }
    if (frame.empty()) {
        return {};
    }
    frame.add_line("one", scale.place(1));
    return frame.picture(ids, plot.title, plot.axis_title, "strips bars", placed_ticks(scale, 7));
}

markup draw(id_source& ids, const span_plot& plot) {
    if (plot.rows.empty()) {
        return {};
    }
    double most = 0;
    for (const span_row& r : plot.rows) {
        most = std::max({most, r.low, r.high});
    }
    const linear_axis scale{plot.what, most > 0 ? most * 1.05 : 0.01};
    bar_frame frame;
    for (const span_row& r : plot.rows) {
        const double y = frame.next_y();
        const double low = scale.place(r.low);
        const std::string figures = typeset(plot.what, r.low, r.high);
        frame.add_row(r.label, r.style, fmt::format("{}: {}", r.label, figures),
                      bar_block("fill", 0, low, y, bar_frame::thickness) +
                          bar_block("possible", low, scale.place(r.high), y, bar_frame::thickness),
                      text(figures), fmt::format("{} {}", r.label, figures));
    }
    return frame.picture(ids, plot.title, plot.axis_title, "strips spans", placed_ticks(scale, 5));
}

} // namespace linn::tool::html
