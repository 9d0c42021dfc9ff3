// SPDX-License-Identifier: Apache-2.0
#include "bar_plot.hpp"

#include "bar_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::html {
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

} // namespace linn::tool::html
