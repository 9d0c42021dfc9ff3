// SPDX-License-Identifier: Apache-2.0
#include "flame_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace linn::tool::html {
namespace {

using weights = std::array<double, flame_measures>;

void add(weights& to, const weights& more) {
    for (std::size_t i = 0; i != to.size(); ++i) {
        to[i] += more[i];
    }
}

weights operator*(weights w, double factor) {
    for (double& v : w) {
        v *= factor;
    }
    return w;
}

bool is_same(const symbol_frame& a, const symbol_frame& b) {
    return a.function == b.function && a.file == b.file && a.line == b.line;
}

/// The frames that called `place`, nearest first.
std::vector<symbol_frame> callers_in(const std::vector<symbol_frame>& stack, const symbol_frame& place) {
    const auto found =
        std::find_if(stack.begin(), stack.end(), [&](const symbol_frame& f) { return is_same(f, place); });
    return found == stack.end() ? std::vector<symbol_frame>{}
                                : std::vector<symbol_frame>{found + 1, stack.end()};
}

void add_callers(flame_node& place, const std::vector<symbol_frame>& callers, const weights& w) {
    flame_node* at = &place;
    for (std::size_t i = 0; i != std::min(callers.size(), most_flame_callers); ++i) {
        at = &child_of(*at, frame_label(callers[i]));
        at->detail = full_place(callers[i]);
        add(at->weight, w);
    }
}

/// What the sites of a place weigh; of those unknown, by the place's share of its type.
class place_grower {
public:
    place_grower(const advice& a, const advised_type& t, const frames_of_stack& frames)
        : advice_{&a},
          type_{&t},
          frames_{&frames} {}

    void grow(flame_node& type, const advised_place& p) const {
        flame_node& node = child_of(type, frame_label(p.frame));
        node.detail = full_place(p.frame);
        std::vector<std::pair<const analysed_site*, weights>> sites;
        weights sum{};
        for (const std::uint32_t i : p.sites) {
            if (i < advice_->analysis.sites.size()) {
                const analysed_site& s = advice_->analysis.sites[i];
                sites.emplace_back(&s, weights_of(s.statistics));
                add(sum, sites.back().second);
            }
        }
        if (sites.empty()) {
            sum = weights_of(type_->statistics) * p.share;
        }
        add(node.weight, sum);
        if (*frames_) {
            for (const auto& [site, w] : sites) {
                add_callers(node, callers_in((*frames_)(site->stack), p.frame), w);
            }
            return;
        }
        const auto main = std::max_element(sites.begin(), sites.end(), [](const auto& x, const auto& y) {
            return x.second[0] < y.second[0];
        });
        std::vector<symbol_frame> callers = p.callers;
        if (!callers.empty() && is_same(callers.front(), p.frame)) {
            callers.erase(callers.begin());
        }
        add_callers(node, callers, main == sites.end() ? sum : main->second);
    }

    weights weights_of(const site_statistics& s) const {
        const double count = static_cast<double>(s.allocations);
        return {count, static_cast<double>(s.bytes), s.time.calls + s.time.page_faults, 0, 0};
    }

private:
    const advice* advice_;
    const advised_type* type_;
    const frames_of_stack* frames_;
};

emphasis style_of(remedy r) {
    return is_pool(r) ? emphasis::ours : r == remedy::nothing ? emphasis::none : emphasis::muted;
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

std::size_t fold(flame_node& n, const weights& whole, double least) {
    std::vector<flame_node> kept;
    flame_node rest;
    std::size_t folded = 0;
    for (flame_node& c : n.children) {
        if (share_of(c, whole) >= least) {
            kept.push_back(std::move(c));
        } else {
            add(rest.weight, c.weight);
            ++folded;
        }
    }
    std::size_t boxes = 1;
    for (flame_node& c : kept) {
        boxes += fold(c, whole, least);
    }
    if (folded != 0) {
        rest.label = fmt::format("{} more", folded);
        rest.detail = "too small to be drawn one by one";
        kept.push_back(std::move(rest));
        ++boxes;
    }
    n.children = std::move(kept);
    return boxes;
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

std::string with_line(std::string_view file, const symbol_frame& f) {
    return f.line == 0 ? std::string{file} : fmt::format("{}:{}", file, f.line);
}

} // namespace

flame_node& child_of(flame_node& parent, const std::string& label) {
    const auto found = std::find_if(parent.children.begin(), parent.children.end(),
                                    [&](const flame_node& n) { return n.label == label; });
    if (found != parent.children.end()) {
        return *found;
    }
    flame_node& added = parent.children.emplace_back();
    added.label = label;
    added.style = parent.style;
    return added;
}

void sort_children(flame_node& n) {
    std::ranges::stable_sort(
        n.children, [](const flame_node& a, const flame_node& b) { return a.weight[0] > b.weight[0]; });
    for (flame_node& c : n.children) {
        sort_children(c);
    }
}

std::string short_place(const symbol_frame& f) {
    const std::size_t slash = f.file.rfind('/');
    const std::string_view file = f.file;
    return f.file.empty() ? std::string{}
                          : with_line(slash == std::string::npos ? file : file.substr(slash + 1), f);
}

std::string full_place(const symbol_frame& f) {
    if (f.file.empty()) {
        return {};
    }
    std::string place = with_line(f.file, f);
    if (f.line != 0 && f.column != 0) {
        place += fmt::format(":{}", f.column);
    }
    return place;
}

std::string frame_label(const symbol_frame& f) {
    const std::string place = short_place(f);
    if (f.function.empty()) {
        return place.empty() ? "unknown" : place;
    }
    return place.empty() ? f.function : fmt::format("{} · {}", f.function, place);
}

flame_node grow_flame(const advice& a, const frames_of_stack& frames) {
    flame_node root;
    root.label = "all allocations";
    for (const advised_type& t : a.types) {
        flame_node& type = root.children.emplace_back();
        type.label = t.container.empty() ? t.name : t.container;
        type.detail = t.part.empty() ? std::string{} : t.part;
        type.style = style_of(t.what);
        const place_grower grower{a, t, frames};
        type.weight = grower.weights_of(t.statistics);
        add(root.weight, type.weight);
        for (const advised_place& p : t.places) {
            grower.grow(type, p);
        }
    }
    // Types may be cut off, and some blocks have no type: the whole is the trace's sum.
    root.weight[0] = std::max(root.weight[0], static_cast<double>(a.analysis.all.allocations));
    root.weight[1] = std::max(root.weight[1], static_cast<double>(a.analysis.all.bytes));
    sort_children(root);
    return root;
}

std::size_t fold_flame(flame_node& root, std::size_t most) {
    const weights whole = root.weight;
    double least = 0.0005; // half a pixel of a wide window
    while (boxes_above(root, whole, least) > most) {
        least *= 1.5;
    }
    return fold(root, whole, least);
}

namespace {

constexpr std::size_t newer = 1;
constexpr std::size_t older = 2;

std::string label_of(const profile_frame& f) {
    const std::string& where = f.file.empty() ? f.library : f.file;
    return where.empty() ? f.name : fmt::format("{} · {}", f.name, where);
}

std::string detail_of(const profile_frame& f) {
    return f.file.empty() ? std::string{} : f.folders + f.place();
}

/// From the place outwards.
std::vector<profile_frame> path_of(const trace_row& r) {
    const auto begin = std::find_if(r.stack.begin(), r.stack.end(),
                                    [&](const profile_frame& f) { return f.is_same(r.place); });
    std::vector<profile_frame> path{r.place};
    if (begin != r.stack.end()) {
        const auto outer = begin + 1;
        const auto count = std::min<std::ptrdiff_t>(r.stack.end() - outer, most_flame_callers);
        path.insert(path.end(), outer, outer + count);
    }
    return path;
}

double growth_of(const flame_node& n) {
    const double larger = std::max(n.weight[newer], n.weight[older]);
    return larger > 0 ? (n.weight[newer] - n.weight[older]) / larger : 0;
}

} // namespace

flame_node grow_flame_difference(const trace_comparison& c) {
    const auto by = static_cast<std::size_t>(c.options.by);
    flame_node root;
    root.label = fmt::format("all {}", words_of(c.options.by));
    for (const trace_row& r : c.stacks) {
        // Stacks are what both recordings are matched by, so that the larger of both adds up.
        const std::array weight{std::max(r.old_counts[by], r.new_counts[by]), r.new_counts[by],
                                r.old_counts[by]};
        const auto add = [&](flame_node& n) {
            for (std::size_t i = 0; i != weight.size(); ++i) {
                n.weight[i] += weight[i];
            }
        };
        add(root);
        flame_node* at = &child_of(root, r.label);
        add(*at);
        for (const profile_frame& f : path_of(r)) {
            at = &child_of(*at, label_of(f));
            at->detail = detail_of(f);
            add(*at);
        }
    }
    sort_children(root);
    return root;
}

flame_words words_of_difference(const trace_comparison& c) {
    const profile_measure by = c.options.by;
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
    return {{"larger of both", "new", "old"}, "change by type, place and caller", tip, growth_of};
}

} // namespace linn::tool::html
