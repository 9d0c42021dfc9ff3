// SPDX-License-Identifier: Apache-2.0
#include "flame_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linn::tool::html {
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
