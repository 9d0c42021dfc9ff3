// SPDX-License-Identifier: Apache-2.0
#include "strip_plot.hpp"

#include "../../measure/quantity.hpp"
#include "figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace linn::tool::html {
namespace {

constexpr double line_height = 18; // page.css sets the labels to the same
constexpr double top = 22;         // for the title
constexpr double bottom = 36;      // for the marks and the title of the axis
constexpr double spread = 4.5;     // of the dots, up and down

axis axis_of(const strip_panel& panel) {
    axis range;
    range.add(1);
    for (const strip& s : panel.strips) {
        range.add(s.samples);
        range.add(s.middle.low);
        range.add(s.middle.high);
    }
    // The band stands out even where all else is as quiet as it.
    range.add(1 / (1 + panel.noise));
    range.add(1 + panel.noise);
    return range;
}

/// "-20 %" for the mark at 0.8.
std::string change_label(double ratio) {
    const double percent = (ratio - 1) * 100;
    const bool is_whole = std::abs(percent - std::round(percent)) < 0.01;
    return std::abs(percent) < 0.01
               ? "0"
               : (percent > 0 ? "+" : "") + figures::fixed_text(percent, is_whole ? 0 : 1) + " %";
}

/// Background: the band of noise, the marks of the axis, the line at 1.
void draw_frame(const strip_panel& panel, const axis& scale, double lines, markup& shapes, markup& words) {
    const double end = top + lines;
    if (panel.noise > 0) {
        const double left = scale.place(1 / (1 + panel.noise));
        const double right = scale.place(1 + panel.noise);
        shapes += empty_element("rect", {{"class", "band"},
                                         {"x", across(left)},
                                         {"y", coordinate(top)},
                                         {"width", across(right - left)},
                                         {"height", coordinate(lines)}});
    }
    constexpr std::size_t most_marks = 4; // whose labels have room on a phone too
    std::string marks;
    for (const tick& t : scale.ticks(most_marks)) {
        const double place = scale.place(t.value);
        marks += fmt::format("M{} {}V{}", across(place), coordinate(top), coordinate(end + 4));
        words += words_at(place, end + 16, "tick", panel.shows_changes ? change_label(t.value) : t.label);
    }
    shapes += path_element("grid", marks);
    shapes += path_element("one", fmt::format("M{} {}V{}", across(scale.place(1)), top, end));
    words += panel_title(13, panel.title);
    words += words_at(0.5, end + 31, "axis-title", panel.axis_title);
}

/// Ratios as this panel writes them: near 1 everywhere, the third digit counts.
std::string value_text(const strip_panel& panel, const axis& scale, double value) {
    if (panel.shows_changes) {
        return typeset(unit::change, value - 1);
    }
    return scale.high() / scale.low() < 2 ? typeset(unit::ratio, value) : typeset(unit::times, value);
}

/// One line: a place to point at, which names its figures, the dots, the interval, the median.
void draw_strip(const strip_label& label, const strip_panel& panel, const strip& s, const axis& scale,
                double y, markup& shapes, markup& words) {
    const std::string name = class_of(label.style);
    std::string dots;
    for (std::size_t i = 0; i != s.samples.size(); ++i) {
        if (s.samples[i] > 0) {
            dots += fmt::format("M{} {}h0", across(scale.place(s.samples[i])),
                                coordinate(y + jitter(i) * spread));
        }
    }
    const std::string middle = across(scale.place(s.middle.middle));
    const std::string bounds =
        !s.middle.is_known()
            ? std::string{s.samples.empty() ? "" : ", too few samples for an interval"}
            : fmt::format(", {}{} to {}", s.samples.empty() ? "" : "95 % interval ",
                          value_text(panel, scale, s.middle.low), value_text(panel, scale, s.middle.high));
    const std::string tip =
        fmt::format("{}: {}{}{}{}", label.words, value_text(panel, scale, s.middle.middle), s.remark, bounds,
                    s.samples.empty() ? "" : ", " + figures::counted(s.samples.size(), "sample"));
    markup group = element("title", text(tip));
    group += empty_element("rect", {{"class", "hit"},
                                    {"x", "0"},
                                    {"y", coordinate(y - line_height / 2)},
                                    {"width", "1000"},
                                    {"height", coordinate(line_height)}});
    group += path_element("dots", dots);
    if (s.middle.is_known()) {
        group += path_element("bar", fmt::format("M{} {}H{}", across(scale.place(s.middle.low)),
                                                 coordinate(y), across(scale.place(s.middle.high))));
    }
    group += path_element("median", fmt::format("M{} {}V{}", middle, coordinate(y - 6), coordinate(y + 6)));
    shapes += element("g", {{"class", ("strip " + name)}}, group);
    words +=
        element("text", {{"x", "100%"}, {"dx", "8"}, {"y", coordinate(y + 4)}, {"class", "value " + name}},
                text(value_text(panel, scale, s.middle.middle)) +
                    element("tspan", {{"class", "remark"}}, text(s.remark)));
}

markup draw_panel(id_source& ids, const strip_plot& plot, const strip_panel& panel) {
    const axis scale = axis_of(panel);
    const double lines = line_height * static_cast<double>(plot.labels.size());
    markup shapes;
    markup words;
    draw_frame(panel, scale, lines, shapes, words);
    std::vector<std::string> spoken;
    for (std::size_t i = 0; i != plot.labels.size(); ++i) {
        const strip_label& label = plot.labels[i];
        if (label.is_heading || panel.strips[i].is_empty()) {
            continue;
        }
        draw_strip(label, panel, panel.strips[i], scale, top + line_height * (static_cast<double>(i) + 0.5),
                   shapes, words);
        spoken.push_back(
            fmt::format("{} {}", label.words, value_text(panel, scale, panel.strips[i].middle.middle)));
    }
    const std::string description = fmt::format("{}. Values: {}.", panel.axis_title, fmt::join(spoken, ", "));
    return element("div", {{"class", "panel"}},
                   stretching_svg(ids, panel.title, description, top + lines + bottom, shapes, words));
}

markup draw_labels(const std::vector<strip_label>& labels) {
    markup list;
    for (const strip_label& l : labels) {
        list += element("li", {{"class", l.is_heading ? "heading" : class_of(l.style)}, {"title", l.words}},
                        text(l.words));
    }
    return element("ul", {{"class", "labels"}}, list);
}

} // namespace

double jitter(std::size_t sample) noexcept {
    // Multiples of the golden ratio fill a line evenly, however many there are.
    constexpr double golden = 0.6180339887498949;
    const double turns = static_cast<double>(sample) * golden;
    return 2 * (turns - std::floor(turns)) - 1;
}

markup draw(id_source& ids, const strip_plot& plot) {
    markup all;
    markup panels; // next to each other
    std::size_t count = 0;
    std::string classes = "strips"; // with those that need more room behind the line
    for (std::size_t i = 0; i != plot.panels.size(); ++i) {
        const strip_panel& p = plot.panels[i];
        if (!std::ranges::all_of(p.strips, &strip::is_empty)) {
            panels += draw_panel(ids, plot, p);
            ++count;
            if (std::ranges::any_of(p.strips, [](const strip& s) { return !s.remark.empty(); })) {
                classes = "strips remarks";
            } else if (p.shows_changes) {
                classes = "strips changes";
            }
        }
        if (count == panels_a_row || (count != 0 && i + 1 == plot.panels.size())) {
            // Where the panels do not fit, they scroll sideways in their own box.
            all += element("div",
                           {{"class", "scroll"},
                            {"tabindex", "0"},
                            {"role", "group"},
                            {"aria-label", "plot, may scroll sideways"}},
                           element("div", {{"class", classes}, {"style", fmt::format("--panels:{}", count)}},
                                   draw_labels(plot.labels) + std::exchange(panels, {})));
            count = 0;
        }
    }
    return all;
}

} // namespace linn::tool::html
