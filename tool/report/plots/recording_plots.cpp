// SPDX-License-Identifier: Apache-2.0
#include "../../profile/trace_profile.hpp"
#include "plots.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::html {
namespace {

constexpr double top = 22; // for the title
constexpr double plot_height = 110;
constexpr double bottom = 20;
constexpr std::size_t most_steps = 400; // what a screen can show

struct series {
    std::string title;
    unit what = unit::count;
    std::vector<double> values; ///< one a step, never empty
};

/// An axis from 0.
struct linear_axis {
    unit what;
    double high; ///< positive

    /// The share of the axis's length at which a value lies.
    double place(double value) const { return std::clamp(value / high, 0.0, 1.0); }

    /// Round values, 0 the first, about so many: steps of 1, 2 or 5, of bytes powers of two. Times have one unit.
    std::vector<tick> ticks(std::size_t most) const {
        return even_ticks(what, 0, high, step(high / static_cast<double>(most - 1)));
    }

private:
    double step(double wanted) const {
        if (what == unit::bytes) {
            return std::max(1.0, std::exp2(std::ceil(std::log2(wanted))));
        }
        return what == unit::count ? std::max(1.0, round_step(wanted)) : round_step(wanted);
    }
};

/// Several steps drawn as one, the largest of them, and as so many times what was counted.
std::vector<double> fewer_steps(const std::vector<std::uint64_t>& values, std::size_t width,
                                double times = 1) {
    std::vector<double> fewer((values.size() + width - 1) / width);
    for (std::size_t i = 0; i != values.size(); ++i) {
        double& step = fewer[i / width];
        step = std::max(step, static_cast<double>(values[i]) * times);
    }
    return fewer;
}

double height_of(const linear_axis& scale, double value) {
    return top + plot_height * (1 - scale.place(value));
}

/// The outline of the steps, from the base up and back to it.
std::string path_of(const std::vector<double>& values, const linear_axis& scale) {
    const double count = static_cast<double>(values.size());
    const std::string base = coordinate(top + plot_height);
    std::string path = fmt::format("M0 {}", base);
    double last = -1;
    for (std::size_t i = 0; i != values.size(); ++i) {
        const double y = height_of(scale, values[i]);
        if (y != last) {
            path += fmt::format("H{}V{}", across(static_cast<double>(i) / count), coordinate(y));
        }
        last = y;
    }
    return path + fmt::format("H1000V{}", base);
}

/// `note`: behind the title. `mark`: where a line stands, as a share of the width; negative: nowhere.
markup panel_of(const series& s, const linear_axis& time, const std::string& note, double mark) {
    const double most = *std::ranges::max_element(s.values);
    const linear_axis scale{s.what, most > 0 ? most * 1.04 : 1};
    std::string marks;
    markup words = panel_title(13, s.title + note);
    for (const tick& t : scale.ticks(4)) {
        const double y = height_of(scale, t.value);
        marks += fmt::format("M0 {}H1000", coordinate(y));
        words += words_before(y, t.label);
    }
    for (const tick& t : time.ticks(7)) {
        marks += fmt::format("M{} {}v4", across(time.place(t.value)), coordinate(top + plot_height));
        words += words_at(time.place(t.value), top + plot_height + 16, "tick", t.label);
    }
    markup shapes = path_element("grid", marks) + path_element("area", path_of(s.values, scale));
    if (mark >= 0) {
        shapes += path_element(
            "peak", fmt::format("M{} {}v{}", across(mark), coordinate(top), coordinate(plot_height)));
    }
    const double end = s.values.back();
    return element("div", {{"class", "panel"}},
                   stretching_svg(s.title,
                                  fmt::format("{} over {}: at most {}, {} at the end.", s.title,
                                              typeset(unit::nanoseconds, time.high), typeset(s.what, most),
                                              typeset(s.what, end)),
                                  top + plot_height + bottom, shapes, words));
}

} // namespace

markup run_over_time(const trace_analysis& t) {
    const std::size_t steps = t.over_time.live_bytes.size();
    if (steps == 0 || t.over_time.step_ns == 0) {
        return {};
    }
    const std::size_t width = (steps + most_steps - 1) / most_steps;
    const auto step_ns = static_cast<double>(t.over_time.step_ns);
    const series all[]{
        {"Live bytes", unit::bytes, fewer_steps(t.over_time.live_bytes, width)},
        {"Live blocks", unit::count, fewer_steps(t.over_time.live_blocks, width)},
        {"Events a second", unit::count, fewer_steps(t.over_time.events, width, 1e9 / step_ns)}};
    const linear_axis time{unit::nanoseconds, step_ns * static_cast<double>(width * all[0].values.size())};
    std::string note;
    double peak = -1;
    if (t.all.peak_live_bytes != 0) {
        peak = time.place(static_cast<double>(t.peak_ns));
        note = fmt::format(": at most {}, at {}",
                           typeset(unit::bytes, static_cast<double>(t.all.peak_live_bytes)),
                           typeset(unit::nanoseconds, static_cast<double>(t.peak_ns)));
    }
    markup panels;
    for (const series& s : all) {
        const bool is_first = &s == all;
        panels += panel_of(s, time, is_first ? note : "", is_first ? peak : -1);
    }
    return element("div", {{"class", "timeline"}, {"role", "group"}, {"aria-label", "Over the run"}}, panels);
}

namespace {

struct measure {
    std::string_view name;
    unit what;
};
constexpr std::array<measure, 6> measures{{{"bytes allocated", unit::bytes},
                                           {"allocations", unit::count},
                                           {"bytes at the peak", unit::bytes},
                                           {"temporary allocations", unit::count},
                                           {"bytes never released", unit::bytes},
                                           {"CPU time in the allocator", unit::nanoseconds}}};
using weights = std::array<double, measures.size()>; // that the width of a box can stand for

struct flame_node {
    std::string label;
    std::string detail; ///< shown with the label where one looks at it; may be empty
    emphasis style = emphasis::none;
    weights weight{};
    std::vector<flame_node> children = {}; ///< which the script sorts
};

constexpr std::size_t most_boxes = 2500;
constexpr std::size_t label_letters =
    160; // of a box as wide as a page; the script has the whole from the title
constexpr std::size_t tip_letters = 300;

void add(weights& to, const weights& more) {
    for (std::size_t i = 0; i != to.size(); ++i) {
        to[i] += more[i];
    }
}

std::string label_of(const symbol_frame& f) {
    const std::string where = f.file.empty() ? f.library() : f.file_name();
    return where.empty() ? function_name(f) : fmt::format("{} · {}", function_name(f), where);
}

/// The child of that name, made heavier, or added where there is none.
flame_node& add_below(flame_node& parent, std::string label, const std::string& detail, const weights& w) {
    const auto found = std::ranges::find(parent.children, label, &flame_node::label);
    flame_node& child = found != parent.children.end()
                            ? *found
                            : parent.children.emplace_back(flame_node{std::move(label), detail});
    add(child.weight, w);
    return child;
}

weights weights_of(const trace_profile& profile, std::size_t site, bool keeps_runtime) {
    const auto counts = [&](block_filter f) { return counts_of(profile, site, f, keeps_runtime); };
    const auto as_doubles = [](auto... n) { return weights{static_cast<double>(n)...}; };
    return as_doubles(counts(block_filter::all).bytes, counts(block_filter::all).blocks,
                      counts(block_filter::peak).bytes, counts(block_filter::temporary).blocks,
                      counts(block_filter::leaks).bytes, allocator_ns(profile, site));
}

std::string tip_of(const flame_node& n, const flame_node& root) {
    std::vector<std::string> lines{shortened(n.label, tip_letters)};
    for (std::size_t m = 0; m != measures.size(); ++m) {
        if (n.weight[m] > 0) {
            lines.push_back(fmt::format("{} {} ({})", typeset(measures[m].what, n.weight[m]),
                                        measures[m].name,
                                        typeset(unit::share, n.weight[m] / root.weight[m])));
        }
    }
    if (!n.detail.empty()) {
        lines.push_back(n.detail);
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

double share_of(const flame_node& n, const weights& whole) {
    double most = 0;
    for (std::size_t i = 0; i != whole.size(); ++i) {
        if (whole[i] > 0) {
            most = std::max(most, n.weight[i] / whole[i]);
        }
    }
    return most;
}

/// Puts the boxes that are smaller than that share of the whole together.
void fold(flame_node& n, const weights& whole, double least) {
    const auto small = std::ranges::stable_partition(
        n.children, [&](const flame_node& c) { return share_of(c, whole) >= least; });
    if (!small.empty()) {
        flame_node rest{fmt::format("{} more", small.size()), "too small to be drawn one by one"};
        for (const flame_node& c : small) {
            add(rest.weight, c.weight);
        }
        n.children.erase(small.begin(), small.end());
        n.children.push_back(std::move(rest));
    }
    for (flame_node& c : n.children) {
        fold(c, whole, least);
    }
}

std::size_t boxes_above(const flame_node& n, const weights& whole, double least) {
    std::size_t count = 1;
    for (const flame_node& c : n.children) {
        if (share_of(c, whole) >= least) {
            count += boxes_above(c, whole, least);
        }
    }
    return count;
}

/// The box, which takes so much of the width of the box above it, and those that hang from it.
markup box_of(const flame_node& n, const flame_node& root, double share) {
    // As many letters as the box has room for on a wide page.
    const auto letters = static_cast<std::size_t>(n.weight[0] / root.weight[0] * label_letters * 1.5);
    markup content = element("span", {{"class", class_of(n.style)}, {"title", tip_of(n, root)}},
                             text(shortened(n.label, std::max<std::size_t>(4, letters))));
    markup children;
    for (const flame_node& c : n.children) {
        children += box_of(c, root, n.weight[0] > 0 ? c.weight[0] / n.weight[0] : 0);
    }
    if (!children.empty()) {
        content += element("ul", children);
    }
    return element("li",
                   {{"style", fmt::format("width:{:.7g}%", share * 100)},
                    {"data-w", fmt::format("{:.6g}", fmt::join(n.weight, " "))}},
                   content);
}

} // namespace

markup flame_of_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime) {
    flame_node root{"all stacks", ""};
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const weights w = weights_of(profile, i, keeps_runtime);
        if (w == weights{}) {
            continue;
        }
        const profile_site& site = profile.sites[i];
        flame_node* at = &root;
        add(at->weight, w);
        for (auto f = site.named.frames.rbegin(); f != site.named.frames.rend(); ++f) {
            at = &add_below(*at, label_of(*f), f->file, w);
        }
        add_below(*at, site.label, site.named.allocated, w).style = emphasis::ours;
    }
    if (!(root.weight[0] > 0)) {
        return {};
    }
    double least = 0.0005; // half a pixel of a wide window
    while (boxes_above(root, root.weight, least) > most_boxes) {
        least *= 1.5;
    }
    fold(root, weights{root.weight}, least);
    const markup list = element("ul", {{"class", "flame"}, {"aria-label", "allocations by call and type"}},
                                box_of(root, root, 1));
    // The measures between the first two and the last one are those of the filters.
    const std::size_t first = filter != block_filter::all        ? static_cast<std::size_t>(filter) + 1
                              : profile.analysis.time.is_known() ? measures.size() - 1
                                                                 : 0;
    std::vector<std::string_view> names;
    for (const measure& m : measures) {
        names.push_back(m.name);
    }
    return element("div",
                   {{"class", "flame-graph"},
                    {"data-measures", fmt::format("{}", fmt::join(names, "|"))},
                    {"data-first", std::to_string(first)}},
                   element("div", {{"class", "flame-frame"}}, list));
}

} // namespace linn::tool::html
