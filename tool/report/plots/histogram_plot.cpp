// SPDX-License-Identifier: Apache-2.0
#include "histogram_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linn::tool::html {
namespace {

constexpr double top = 22;
constexpr double plot_height = 70;
constexpr double bottom = 20;
constexpr std::size_t least_bars = 8; // a single value is no wall

/// The buckets that are drawn.
struct bucket_range {
    std::size_t first;
    std::size_t end;

    double place(double log2) const {
        return (log2 - static_cast<double>(first)) / static_cast<double>(end - first);
    }
};

bucket_range range_of(std::span<const std::uint64_t> counts) {
    const auto is_used = [](std::uint64_t n) { return n != 0; };
    bucket_range r{
        static_cast<std::size_t>(std::find_if(counts.begin(), counts.end(), is_used) - counts.begin()),
        counts.size()};
    while (r.end > r.first && counts[r.end - 1] == 0) {
        --r.end;
    }
    while (r.end - r.first < std::min(least_bars, counts.size())) {
        if (r.end < counts.size()) {
            ++r.end;
        }
        if (r.first > 0 && r.end - r.first < least_bars) {
            --r.first;
        }
    }
    return r;
}

/// Marks of the axis: powers of two of bytes, powers of ten of times.
std::vector<tick> marks_of(unit what, const bucket_range& r) {
    constexpr std::size_t most = 5;
    const bool is_binary = what == unit::bytes;
    const double per_mark = is_binary ? 1 : std::log2(10.0);
    const double low = std::ceil(static_cast<double>(r.first) / per_mark - 1e-9);
    const double high = std::floor(static_cast<double>(r.end) / per_mark + 1e-9);
    double step = 1;
    while ((high - low) / step + 1 > static_cast<double>(most)) {
        ++step;
    }
    std::vector<tick> list;
    for (double i = low; i <= high; i += step) {
        const double value = std::exp2(i * per_mark);
        list.push_back({i * per_mark, figures::mark_text(what, value, value)});
    }
    return list;
}

} // namespace

markup draw(id_source& ids, const histogram_plot& plot) {
    const std::uint64_t all = std::accumulate(plot.counts.begin(), plot.counts.end(), std::uint64_t{0});
    if (all == 0) {
        return {};
    }
    const bucket_range r = range_of(plot.counts);
    const auto most = std::max_element(plot.counts.begin(), plot.counts.end());
    const double largest = static_cast<double>(*most);
    markup shapes;
    for (std::size_t i = r.first; i != r.end; ++i) {
        if (plot.counts[i] == 0) {
            continue;
        }
        const double share = static_cast<double>(plot.counts[i]);
        const double high = std::max(1.0, plot_height * share / largest); // seen, however rare
        const double wide = 1.0 / static_cast<double>(r.end - r.first);
        const std::string tip =
            fmt::format("{} to {}: {} ({})", typeset(plot.what, i == 0 ? 0 : std::exp2(i)),
                        typeset(plot.what, std::exp2(i + 1)), typeset(unit::count, share),
                        typeset(unit::share, share / static_cast<double>(all)));
        shapes += element("rect",
                          {{"class", "fill"},
                           {"x", across(r.place(static_cast<double>(i)) + wide * 0.06)},
                           {"y", coordinate(top + plot_height - high)},
                           {"width", across(wide * 0.88)},
                           {"height", coordinate(high)}},
                          element("title", text(tip)));
    }
    shapes += empty_element(
        "path", {{"class", "base"}, {"d", fmt::format("M0 {}H1000", coordinate(top + plot_height))}});
    markup words = element("text", {{"x", "0"}, {"y", "13"}, {"class", "panel-title"}}, text(plot.title));
    for (const tick& t : marks_of(plot.what, r)) {
        words += words_at(r.place(t.value), top + plot_height + 15, "tick", t.label);
    }
    const auto peak = static_cast<std::size_t>(most - plot.counts.begin());
    return element(
        "div", {{"class", "histogram"}},
        stretching_svg(ids, plot.title,
                       fmt::format("{} by powers of two; most, {}, from {} to {}.",
                                   figures::counted(figures::figure_of(unit::count, static_cast<double>(all)),
                                                    figures::lettering::typeset, "value"),
                                   typeset(unit::share, largest / static_cast<double>(all)),
                                   typeset(plot.what, peak == 0 ? 0 : std::exp2(peak)),
                                   typeset(plot.what, std::exp2(peak + 1))),
                       top + plot_height + bottom, shapes, words));
}

} // namespace linn::tool::html
