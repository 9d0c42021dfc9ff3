// SPDX-License-Identifier: Apache-2.0
#include "../../bench/bench.hpp"
#include "figure.hpp"
#include "plots.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::html {

std::vector<row_group> group_rows(const scenario_result& s) {
    std::vector<row_group> groups;
    for (std::size_t v = 0; v != s.what->variants.size(); ++v) {
        if (s.what->variants[v].contender.empty()) {
            groups.push_back(
                {std::string{s.what->variants[v].title}, std::string{s.what->variants[v].note}, {}, v});
        }
    }
    groups.push_back({"with a pool of their own", {}, {}, {}});
    for (const row& r : s.rows) {
        const auto group = std::find_if(groups.begin(), groups.end() - 1,
                                        [&](const row_group& g) { return g.variant == r.variant; });
        group->rows.push_back(&r);
    }
    std::erase_if(groups, [](const row_group& g) { return g.rows.empty(); });
    for (row_group& g : groups) {
        std::ranges::stable_sort(g.rows, {}, &row::ratio); // fastest first
    }
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
            strip& one = panel.strips.emplace_back();
            one.style = style_of(result, *r);
            if (const phase_figures* const f = r->in(phase); f != nullptr && base != nullptr) {
                const double reference = base->cycles.median.middle;
                one.samples = r->cycles(phase);
                for (double& v : one.samples) {
                    v /= reference;
                }
                const interval& i = f->cycles.median;
                one.middle = {i.middle / reference, i.low / reference, i.high / reference};
            }
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

markup strip_plots(const bench_result& result, const scenario_result& s) {
    const std::vector<row_group> groups = group_rows(s);
    strip_plot plot{labels_of(result, s, groups), {}};
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        plot.panels.push_back(panel_of(result, s, groups, p));
    }
    return draw(plot);
}

/// The cost by the size of a block, a panel a contender on the same logarithmic axes.
class curve_plot {
public:
    curve_plot(const bench_result& result, const scenario_result& s) : result_{result}, s_{s} {
        for (const row& r : s.rows) {
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                if (r.in(p) != nullptr) {
                    x_.add(static_cast<double>(s.what->phases[p].bytes));
                    y_.add(r.in(p)->ns.median.middle);
                }
            }
        }
    }

    markup panels() {
        markup all;
        for (const row_group& g : group_rows(s_)) {
            for (const row* r : g.rows) {
                if (result_.contenders[r->contender].name != control_name) {
                    all += panel(*r, label_of(result_, s_, g, *r));
                }
            }
        }
        return element("div", {{"class", "curves"}}, all);
    }

private:
    static constexpr double top = 24; // for the title
    static constexpr double height = 130;
    static constexpr double bottom = 22;
    static constexpr std::size_t title_letters = 26; // what the narrowest panel has room for

    double depth(double value) const { return top + height * (1 - y_.place(value)); }

    /// Broken where a size was not measured.
    std::string path_of(const row& r, unsigned threads) const {
        std::string path;
        bool is_broken = true;
        for (std::size_t p = 0; p != s_.what->phases.size(); ++p) {
            const phase_info& phase = s_.what->phases[p];
            if (phase.threads != threads) {
                continue;
            }
            const phase_figures* const f = r.in(p);
            if (f != nullptr) {
                path += fmt::format("{}{} {}", is_broken ? 'M' : 'L',
                                    across(x_.place(static_cast<double>(phase.bytes))),
                                    coordinate(depth(f->ns.median.middle)));
            }
            is_broken = f == nullptr;
        }
        return path;
    }

    markup panel(const row& r, const std::string& title) {
        std::string marks;
        markup words = panel_title(14, shortened(title, title_letters));
        for (const tick& t : x_.byte_ticks(4)) {
            const double place = x_.place(t.value);
            marks += fmt::format("M{} {}V{}", across(place), top, top + height);
            words += words_at(place, top + height + 15, "tick", t.label);
        }
        for (const tick& t : y_.ticks(5)) {
            marks += fmt::format("M0 {}H1000", coordinate(depth(t.value)));
            words += words_before(depth(t.value), t.label);
        }
        const markup shapes = path_element("grid", marks) + path_element("curve", path_of(r, 1)) +
                              path_element("curve dashed", path_of(r, 2));
        return element("div", {{"class", "curve-panel " + class_of(style_of(result_, r))}},
                       stretching_svg(title, "Nanoseconds by the size of a block.", top + height + bottom,
                                      shapes, words));
    }

    const bench_result& result_;
    const scenario_result& s_;
    axis x_;
    axis y_;
};

} // namespace

markup scenario_plots(const bench_result& result, const scenario_result& s) {
    return s.what->has_curves() ? curve_plot{result, s}.panels() : strip_plots(result, s);
}

} // namespace linn::tool::html
