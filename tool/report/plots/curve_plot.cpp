// SPDX-License-Identifier: Apache-2.0
#include "curve_plot.hpp"

#include "axis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace linn::tool::html {
namespace {

constexpr double top = 40; // for the title and the remark
constexpr double plot_height = 130;
constexpr double bottom = 22;
constexpr std::size_t title_letters = 26; // what the narrowest panel has room for

struct axes {
    axis x;
    axis y;

    std::string place(const curve_point& p) const {
        return fmt::format("{} {}", across(x.place(p.x)), coordinate(top + plot_height * (1 - y.place(p.y))));
    }
};

std::optional<axes> axes_of(const curve_plot& plot) {
    value_range x;
    value_range y;
    for (const curve_panel& panel : plot.panels) {
        for (const curve& c : panel.curves) {
            for (const curve_point& p : c.points) {
                x.add(p.x);
                y.add(p.y);
            }
        }
    }
    if (x.empty() || y.empty()) {
        return std::nullopt;
    }
    return axes{x.logarithmic(), y.logarithmic()};
}

const char* name_of(stroke s) {
    return s == stroke::solid ? "solid" : s == stroke::dashed ? "dashed" : "dotted";
}

/// The curve as a path, broken where a value is missing.
std::string path_of(const curve& c, const axes& scale) {
    std::string path;
    bool is_broken = true;
    for (const curve_point& p : c.points) {
        if (!(p.x > 0) || !(p.y > 0)) {
            is_broken = true;
            continue;
        }
        path += (is_broken ? 'M' : 'L') + scale.place(p);
        is_broken = false;
    }
    return path;
}

/// A dot at every point, as a line of no length with round ends: it stays round where its space is stretched.
std::string dots_of(const curve& c, const axes& scale) {
    std::string path;
    for (const curve_point& p : c.points) {
        if (p.x > 0 && p.y > 0) {
            path += 'M' + scale.place(p) + "h0";
        }
    }
    return path;
}

class plot_writer {
public:
    plot_writer(id_source& ids, const curve_plot& plot, const axes& scale)
        : ids_{&ids},
          plot_{&plot},
          scale_{scale},
          behind_{ids.next("curves")} {}

    markup panel(const curve_panel& p, bool is_first) {
        markup shapes = frame();
        if (is_first) {
            std::string all;
            for (const curve_panel& other : plot_->panels) {
                for (const curve& c : other.curves) {
                    if (c.style == stroke::solid) {
                        all += path_of(c, scale_);
                    }
                }
            }
            shapes += empty_element("path", {{"id", behind_}, {"class", "behind"}, {"d", all}});
        } else {
            shapes += empty_element("use", {{"href", '#' + behind_}});
        }
        std::vector<std::string> spoken;
        for (const curve& c : p.curves) {
            const std::string path = path_of(c, scale_);
            if (path.empty()) {
                continue;
            }
            shapes +=
                empty_element("path", {{"class", fmt::format("curve {}", name_of(c.style))}, {"d", path}});
            if (c.style == stroke::solid) {
                shapes += empty_element("path", {{"class", "points"}, {"d", dots_of(c, scale_)}});
            }
            const auto [least, most] =
                std::minmax_element(c.points.begin(), c.points.end(),
                                    [](const curve_point& a, const curve_point& b) { return a.y < b.y; });
            spoken.push_back(fmt::format("{}: {} to {}", c.name, typeset(unit::number, least->y),
                                         typeset(unit::number, most->y)));
        }
        const std::string description = fmt::format("{} by {}. {}. {}", plot_->y_title, plot_->x_title,
                                                    fmt::join(spoken, "; "), p.remark);
        return element(
            "div", {{"class", "curve-panel " + class_of(p.style)}},
            stretching_svg(*ids_, p.title, description, top + plot_height + bottom, shapes, words(p)));
    }

    /// What the strokes mean, once below all panels.
    markup legend() const {
        markup list;
        for (const stroke s : {stroke::solid, stroke::dashed, stroke::dotted}) {
            if (const std::string name = name_for(s); !name.empty()) {
                list += element("li", sample(fmt::format("curve {}", name_of(s))) + text(name));
            }
        }
        if (plot_->panels.size() > 1) {
            list += element("li", sample("behind") + text("the others"));
        }
        return element("ul", {{"class", "legend"}}, list);
    }

private:
    markup frame() const {
        std::string marks;
        for (const tick& t : scale_.x.byte_ticks(4)) {
            marks += fmt::format("M{} {}V{}", across(scale_.x.place(t.value)), coordinate(top),
                                 coordinate(top + plot_height));
        }
        for (const tick& t : scale_.y.ticks(5)) {
            marks += fmt::format("M0 {}H1000", coordinate(top + plot_height * (1 - scale_.y.place(t.value))));
        }
        return empty_element("path", {{"class", "grid"}, {"d", marks}});
    }

    markup words(const curve_panel& p) const {
        markup list = element("text", {{"x", "0"}, {"y", "14"}, {"class", "panel-title"}},
                              text(shortened(p.title, title_letters)));
        list += element("text", {{"x", "0"}, {"y", "30"}, {"class", "axis-title"}}, text(p.remark));
        for (const tick& t : scale_.x.byte_ticks(4)) {
            list += words_at(scale_.x.place(t.value), top + plot_height + 15, "tick", t.label);
        }
        for (const tick& t : scale_.y.ticks(5)) {
            list += element("text",
                            {{"x", "-6"},
                             {"y", coordinate(top + plot_height * (1 - scale_.y.place(t.value)) + 4)},
                             {"text-anchor", "end"},
                             {"class", "tick"}},
                            text(t.label));
        }
        return list;
    }

    std::string name_for(stroke s) const {
        for (const curve_panel& p : plot_->panels) {
            for (const curve& c : p.curves) {
                if (c.style == s && !c.points.empty()) {
                    return c.name;
                }
            }
        }
        return {};
    }

    static markup sample(const std::string& style) {
        return element("svg", {{"class", "key"}, {"width", "34"}, {"height", "10"}, {"aria-hidden", "true"}},
                       empty_element("path", {{"class", style}, {"d", "M1 5H33"}}));
    }

    id_source* ids_;
    const curve_plot* plot_;
    axes scale_;
    std::string behind_;
};

} // namespace

markup draw(id_source& ids, const curve_plot& plot) {
    const auto scale = axes_of(plot);
    if (!scale) {
        return {};
    }
    plot_writer writer{ids, plot, *scale};
    markup panels;
    bool is_first = true;
    for (const curve_panel& p : plot.panels) {
        if (std::all_of(p.curves.begin(), p.curves.end(), [](const curve& c) { return c.points.empty(); })) {
            continue;
        }
        panels += writer.panel(p, is_first);
        is_first = false;
    }
    return element("div", {{"class", "curves"}}, panels) + writer.legend();
}

} // namespace linn::tool::html
