// SPDX-License-Identifier: Apache-2.0
#include "../../compare/trace_comparison.hpp"
#include "../../profile/trace_view.hpp"
#include "plots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::html {
namespace {

constexpr std::size_t most_measures = 6; // that the width of a box can stand for
using weights = std::array<double, most_measures>;

/// A call, a type, or a place that allocates it.
struct flame_node {
    std::string label;
    std::string detail; ///< shown with the label where one looks at it; may be empty
    emphasis style = emphasis::none;
    weights weight{};
    std::vector<flame_node> children = {}; ///< the largest first
};

/// A tree of boxes and what they mean.
struct flame_graph {
    std::string_view name;                  ///< of the graph, read out
    std::vector<std::string_view> measures; ///< names of the weights
    std::size_t first = 0;                  ///< the measure that the script begins with
    std::function<std::string(const flame_node&, const flame_node& root)> tip; ///< lines about a box
    /// -1: all of the box is gone, 1: all of it is new; empty where nothing is compared
    std::function<double(const flame_node&)> growth = {};
    flame_node root;
};

constexpr std::size_t most_boxes = 2500;
constexpr std::ptrdiff_t most_callers = 12; // above a place that is compared
constexpr std::size_t label_letters =
    160; // of a box as wide as a page; the script has the whole from the title
constexpr std::size_t tip_letters = 300;
constexpr double weakest = 10;     // percent of the colour of a box that grew or shrank a little
constexpr double strongest = 45;   // words on it stay readable
constexpr double line_height = 20; // page.css sets the boxes to the same

// Of a comparison.
constexpr std::size_t newer = 1;
constexpr std::size_t older = 2;

struct measure {
    std::string_view name;
    unit what;
};
constexpr std::array<measure, most_measures> measures_of_stacks{
    {{"bytes allocated", unit::bytes},
     {"allocations", unit::count},
     {"bytes at the peak", unit::bytes},
     {"temporary allocations", unit::count},
     {"bytes never released", unit::bytes},
     {"CPU time in the allocator", unit::nanoseconds}}};

void add(weights& to, const weights& more) {
    for (std::size_t i = 0; i != to.size(); ++i) {
        to[i] += more[i];
    }
}

std::string label_of(const profile_frame& f) {
    const std::string& where = f.file.empty() ? f.library : f.file;
    return where.empty() ? f.name : fmt::format("{} · {}", f.name, where);
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

void sort_children(flame_node& n) {
    std::ranges::stable_sort(n.children, std::ranges::greater{},
                             [](const flame_node& child) { return child.weight[0]; });
    for (flame_node& c : n.children) {
        sort_children(c);
    }
}

weights weights_of(const trace_profile& profile, std::size_t site, bool keeps_runtime) {
    const auto counts = [&](block_filter f) { return counts_of(profile, site, f, keeps_runtime); };
    const auto as_doubles = [](auto... n) { return weights{static_cast<double>(n)...}; };
    return as_doubles(counts(block_filter::all).bytes, counts(block_filter::all).blocks,
                      counts(block_filter::peak).bytes, counts(block_filter::temporary).blocks,
                      counts(block_filter::leaks).bytes, allocator_ns(profile, site));
}

std::size_t measure_of(const trace_profile& profile, block_filter filter) {
    switch (filter) {
    case block_filter::all:
        return profile.analysis.time.is_known() ? 5 : 0;
    case block_filter::peak:
        return 2;
    case block_filter::temporary:
        return 3;
    case block_filter::leaks:
        return 4;
    }
    return 0;
}

std::string tip_of_stacks(const flame_node& n, const flame_node& root) {
    std::vector<std::string> lines;
    for (std::size_t m = 0; m != measures_of_stacks.size(); ++m) {
        if (n.weight[m] > 0) {
            lines.push_back(fmt::format("{} {} ({})", typeset(measures_of_stacks[m].what, n.weight[m]),
                                        measures_of_stacks[m].name,
                                        typeset(unit::share, n.weight[m] / root.weight[m])));
        }
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

/// From the place outwards.
std::vector<profile_frame> path_of(const trace_row& r) {
    const auto place =
        std::ranges::find_if(r.stack, [&](const profile_frame& f) { return f.is_same(r.place); });
    std::vector<profile_frame> path{r.place};
    if (place != r.stack.end()) {
        const auto outer = place + 1;
        path.insert(path.end(), outer, outer + std::min(r.stack.end() - outer, most_callers));
    }
    return path;
}

double growth_of(const flame_node& n) {
    const double larger = std::max(n.weight[newer], n.weight[older]);
    return larger > 0 ? (n.weight[newer] - n.weight[older]) / larger : 0;
}

/// The largest of a box's shares of the whole, by any measure.
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

std::size_t depth_of(const flame_node& n) {
    std::size_t most = 0;
    for (const flame_node& c : n.children) {
        most = std::max(most, depth_of(c));
    }
    return most + 1;
}

/// A box that grew or shrank has a colour as strong as its change, and a mark that needs no colour.
class boxes {
public:
    explicit boxes(const flame_graph& graph) : graph_{&graph} {}

    markup of(const flame_node& n, double from, double width) const {
        markup content = label(n);
        markup children;
        double at = 0;
        const double whole = n.weight[0];
        for (const flame_node& c : n.children) {
            const double share = whole > 0 ? c.weight[0] / whole : 0;
            children += of(c, at, share);
            at += share;
        }
        if (!children.empty()) {
            content += element("ul", children);
        }
        const std::span shown{n.weight.data(), graph_->measures.size()};
        return element("li",
                       {{"style", fmt::format("left:{:.7g}%;width:{:.7g}%", from * 100, width * 100)},
                        {"data-w", fmt::format("{:.6g}", fmt::join(shown, " "))}},
                       content);
    }

private:
    /// As many letters as a box has room for on a wide page.
    std::size_t letters_of(const flame_node& n) const {
        const double share = n.weight[0] / graph_->root.weight[0];
        return std::max<std::size_t>(4, static_cast<std::size_t>(share * label_letters * 1.5));
    }

    markup label(const flame_node& n) const {
        const double growth = graph_->growth ? std::clamp(graph_->growth(n), -1.0, 1.0) : 0;
        const std::string_view mark = growth > 0 ? "▲ " : growth < 0 ? "▼ " : "";
        const std::string tip =
            fmt::format("{}{}\n{}{}{}", mark, shortened(n.label, tip_letters), graph_->tip(n, graph_->root),
                        n.detail.empty() ? "" : "\n", n.detail);
        const markup words = text(fmt::format("{}{}", mark, shortened(n.label, letters_of(n))));
        if (growth == 0) {
            return element("span", {{"class", class_of(n.style)}, {"title", tip}}, words);
        }
        return element(
            "span",
            {{"class", growth > 0 ? "grew" : "shrank"},
             {"style", fmt::format("--by:{:.0f}%", weakest + (strongest - weakest) * std::abs(growth))},
             {"title", tip}},
            words);
    }

    const flame_graph* graph_;
};

markup draw(flame_graph graph) {
    const weights whole = graph.root.weight;
    if (!(whole[0] > 0) || graph.root.children.empty()) {
        return {};
    }
    double least = 0.0005; // half a pixel of a wide window
    while (boxes_above(graph.root, whole, least) > most_boxes) {
        least *= 1.5;
    }
    fold(graph.root, whole, least);
    const double height = line_height * static_cast<double>(depth_of(graph.root));
    const markup list =
        element("ul", {{"class", "flame"}, {"style", fmt::format("height:{}px", coordinate(height))}},
                boxes{graph}.of(graph.root, 0, 1));
    return element("div",
                   {{"class", "flame-graph"},
                    {"data-measures", fmt::format("{}", fmt::join(graph.measures, "|"))},
                    {"data-first", std::to_string(graph.first)},
                    {"data-name", std::string{graph.name}}},
                   element("div", {{"class", "flame-frame"}}, list));
}

} // namespace

markup flame_of_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime) {
    flame_graph graph{.name = "allocations by call and type",
                      .measures = {},
                      .first = measure_of(profile, filter),
                      .tip = tip_of_stacks,
                      .root = {"all stacks", ""}};
    for (const measure& m : measures_of_stacks) {
        graph.measures.push_back(m.name);
    }
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const weights w = weights_of(profile, i, keeps_runtime);
        if (w == weights{}) {
            continue;
        }
        const profile_site& site = profile.sites[i];
        flame_node* at = &graph.root;
        add(at->weight, w);
        for (auto f = site.callers.rbegin(); f != site.callers.rend(); ++f) {
            at = &add_below(*at, label_of(*f), f->folders + f->file, w);
        }
        add_below(*at, site.label, site.named.allocated, w).style = emphasis::ours;
    }
    sort_children(graph.root);
    return draw(std::move(graph));
}

markup flame_of_difference(const trace_comparison& c) {
    const profile_measure by = c.options.by;
    const auto place = static_cast<std::size_t>(by);
    const auto tip = [by, unit = c.unit](const flame_node& n, const flame_node& root) {
        const double change = n.weight[newer] - n.weight[older];
        std::string words =
            fmt::format("{} to {} {}{}", figure_of(by, n.weight[older]).text(figures::lettering::typeset),
                        figure_of(by, n.weight[newer]).text(figures::lettering::typeset), words_of(by),
                        unit.empty() ? "" : " per " + unit);
        if (n.weight[older] > 0) {
            words += fmt::format(" ({})", typeset(unit::change, change / n.weight[older]));
        }
        if (root.weight[older] > 0) {
            words += fmt::format("\n{} of all before", typeset(unit::change, change / root.weight[older]));
        }
        return words;
    };
    flame_graph graph{.name = "change by type, place and caller",
                      .measures = {"larger of both", "new", "old"},
                      .tip = tip,
                      .growth = growth_of,
                      .root = {fmt::format("all {}", words_of(by)), ""}};
    for (const trace_row& r : c.stacks) {
        // Stacks are what both recordings are matched by, so that the larger of both adds up.
        const weights w{std::max(r.old_counts[place], r.new_counts[place]), r.new_counts[place],
                        r.old_counts[place]};
        add(graph.root.weight, w);
        flame_node* at = &add_below(graph.root, r.label, "", w);
        for (const profile_frame& f : path_of(r)) {
            at = &add_below(*at, label_of(f), f.file.empty() ? std::string{} : f.folders + f.place(), w);
        }
    }
    sort_children(graph.root);
    return draw(std::move(graph));
}

} // namespace linn::tool::html
