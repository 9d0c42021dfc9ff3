// SPDX-License-Identifier: Apache-2.0
#include "bar_frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

} // namespace linn::tool::html
