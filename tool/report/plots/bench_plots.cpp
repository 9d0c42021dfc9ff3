// SPDX-License-Identifier: Apache-2.0
#include "bench_plots.hpp"

#include "../../bench/judgement.hpp"
#include "figure.hpp"
#include "strip_plot.hpp"

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
            shapes += path_element(fmt::format("curve {}", name_of(c.style)), path);
            if (c.style == stroke::solid) {
                shapes += path_element("points", dots_of(c, scale_));
            }
            const auto [least, most] = std::ranges::minmax_element(
                c.points, [](const curve_point& a, const curve_point& b) { return a.y < b.y; });
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
        return path_element("grid", marks);
    }

    markup words(const curve_panel& p) const {
        markup list = panel_title(14, shortened(p.title, title_letters));
        list += element("text", {{"x", "0"}, {"y", "30"}, {"class", "axis-title"}}, text(p.remark));
        for (const tick& t : scale_.x.byte_ticks(4)) {
            list += words_at(scale_.x.place(t.value), top + plot_height + 15, "tick", t.label);
        }
        for (const tick& t : scale_.y.ticks(5)) {
            list += words_before(top + plot_height * (1 - scale_.y.place(t.value)), t.label);
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
                       path_element(style, "M1 5H33"));
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
        if (std::ranges::all_of(p.curves, [](const curve& c) { return c.points.empty(); })) {
            continue;
        }
        panels += writer.panel(p, is_first);
        is_first = false;
    }
    return element("div", {{"class", "curves"}}, panels) + writer.legend();
}

std::vector<row_group> group_rows(const scenario_result& s) {
    std::vector<row_group> groups;
    for (std::size_t v = 0; v != s.what->variants.size(); ++v) {
        if (s.what->variants[v].contender.empty()) {
            groups.push_back(
                {std::string{s.what->variants[v].title}, std::string{s.what->variants[v].note}, {}, v});
        }
    }
    groups.push_back({"with a pool of their own", {}, {}, {}});
    for (const row* r : s.sorted_rows()) {
        if (r->samples.empty()) {
            continue;
        }
        const auto group = std::find_if(groups.begin(), groups.end() - 1,
                                        [&](const row_group& g) { return g.variant == r->variant; });
        group->rows.push_back(r);
    }
    std::erase_if(groups, [](const row_group& g) { return g.rows.empty(); });
    return groups;
}

std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r) {
    return g.variant ? result.contenders[r.contender].title : std::string{s.variant_of(r).title};
}

emphasis style_of(const bench_result& result, const row& r) {
    const std::string& name = result.contenders[r.contender].name;
    return name == linn_name ? emphasis::ours : name == control_name ? emphasis::muted : emphasis::none;
}

namespace {

strip_panel panel_of(const bench_result& result, const scenario_result& s,
                     const std::vector<row_group>& groups, std::size_t phase) {
    strip_panel panel{std::string{s.what->phases[phase].title}, "time by that of glibc", {}, 0};
    panel.noise = s.noise[phase].floor.value_or(0);
    const row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    const phase_figures* const base = baseline == nullptr ? nullptr : baseline->in(phase);
    for (const row_group& g : groups) {
        panel.strips.emplace_back();
        for (const row* r : g.rows) {
            strip one;
            if (const phase_figures* const f = r->in(phase); f != nullptr && base != nullptr) {
                const double reference = base->cycles.median.middle;
                one.samples = r->cycles(phase);
                for (double& v : one.samples) {
                    v /= reference;
                }
                const interval& i = f->cycles.median;
                one.middle = {i.middle / reference, i.low / reference, i.high / reference};
            }
            panel.strips.push_back(std::move(one));
        }
    }
    return panel;
}

std::vector<strip_label> labels_of(const bench_result& result, const scenario_result& s,
                                   const std::vector<row_group>& groups) {
    std::vector<strip_label> labels;
    for (const row_group& g : groups) {
        labels.push_back({g.heading, emphasis::none, true});
        for (const row* r : g.rows) {
            labels.push_back({label_of(result, s, g, *r), style_of(result, *r), false});
        }
    }
    return labels;
}

markup strip_plots(id_source& ids, const bench_result& result, const scenario_result& s) {
    constexpr std::size_t panels_a_figure = 3;
    const std::vector<row_group> groups = group_rows(s);
    strip_plot plot{labels_of(result, s, groups), {}};
    markup first;
    markup others;
    std::vector<std::string> hidden;
    const std::size_t phases = s.what->phases.size();
    for (std::size_t p = 0; p != phases; ++p) {
        plot.panels.push_back(panel_of(result, s, groups, p));
        if (!first.empty()) {
            hidden.emplace_back(s.what->phases[p].title);
        }
        if (plot.panels.size() != panels_a_figure && p + 1 != phases) {
            continue;
        }
        (first.empty() ? first : others) += draw(ids, plot);
        plot.panels.clear();
    }
    if (first.empty()) {
        return others;
    }
    return first + folded(fmt::format("More of the same: {}", fmt::join(hidden, ", ")), others);
}

/// The points of one curve in nanoseconds.
std::vector<curve_point> measured_points(const scenario& what, const row& r, unsigned threads) {
    std::vector<curve_point> points;
    for (std::size_t p = 0; p != what.phases.size(); ++p) {
        if (what.phases[p].threads == threads && what.phases[p].bytes != 0 && r.in(p) != nullptr) {
            points.push_back({static_cast<double>(what.phases[p].bytes), r.in(p)->ns.median.middle});
        }
    }
    return points;
}

std::vector<curve_point> published_points(const scenario& what, const published_row& published) {
    const auto column =
        std::ranges::find_if(what.columns, [](const column_info& c) { return c.shows == figure::time; });
    const double factor = column == what.columns.end() ? 1 : column->factor;
    std::vector<curve_point> points;
    for (std::size_t p = 0; p != what.phases.size(); ++p) {
        if (what.phases[p].threads == 1 && p < published.figures.size() && published.figures[p] > 0) {
            points.push_back({static_cast<double>(what.phases[p].bytes), published.figures[p] / factor});
        }
    }
    return points;
}

std::string cliff_remark(const scenario& what, const row& r) {
    std::vector<std::string> parts;
    for (const cliff& c : cliffs_on(what, r, 1)) {
        parts.push_back(fmt::format("{} ({} ×)", what.phases[c.phase].title, typeset(unit::count, c.factor)));
    }
    return parts.empty() ? "no cliff" : fmt::format("cliff at {}", fmt::join(parts, ", "));
}

markup curve_plots(id_source& ids, const bench_result& result, const scenario_result& s) {
    const scenario& what = *s.what;
    curve_plot plot{"block size", "nanoseconds a pair", {}};
    const std::vector<row_group> groups = group_rows(s);
    for (const row_group& g : groups) {
        for (const row* r : g.rows) {
            const std::string& name = result.contenders[r->contender].name;
            if (name == control_name) {
                continue;
            }
            curve_panel panel{label_of(result, s, g, *r), {}, cliff_remark(what, *r), style_of(result, *r)};
            panel.curves.push_back({"one thread", stroke::solid, measured_points(what, *r, 1)});
            panel.curves.push_back({"two threads", stroke::dashed, measured_points(what, *r, 2)});
            if (const published_row* p = s.find_published(name, s.variant_of(*r).name)) {
                panel.curves.push_back({"published, one thread", stroke::dotted, published_points(what, *p)});
            }
            plot.panels.push_back(std::move(panel));
        }
    }
    return draw(ids, plot);
}

} // namespace

markup overview_plot(id_source& ids, const bench_result& result) {
    constexpr std::size_t remark_letters = 16; // for which page.css leaves room
    strip_plot plot{{}, {{"Linn and the best other", "Linn's speed by the best other's", {}, 0}}};
    const auto add = [&](const strip_label& label, strip s) {
        plot.labels.push_back(label);
        plot.panels.front().strips.push_back(std::move(s));
    };
    for (const scenario_result& s : result.scenarios) {
        // Dozens of points say more as curves.
        if (s.what->has_curves() || s.comparisons.front().empty()) {
            continue;
        }
        add({std::string{s.what->name}, emphasis::none, true}, {});
        for (const comparison& c : s.comparisons.front()) {
            const emphasis style = c.says == outcome::win    ? emphasis::ours
                                   : c.says == outcome::loss ? emphasis::bad
                                                             : emphasis::muted;
            add({std::string{s.what->phases[c.phase].title}, style},
                {{},
                 {c.speed_up, c.speed_up / (1 + c.uncertainty), c.speed_up * (1 + c.uncertainty)},
                 " × " + shortened(result.contenders[s.rows[c.other].contender].title, remark_letters)});
        }
    }
    return draw(ids, plot);
}

markup scenario_plots(id_source& ids, const bench_result& result, const scenario_result& s) {
    return s.what->has_curves() ? curve_plots(ids, result, s) : strip_plots(ids, result, s);
}

} // namespace linn::tool::html
