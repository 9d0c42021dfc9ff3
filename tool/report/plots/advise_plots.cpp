// SPDX-License-Identifier: Apache-2.0
#include "advise_plots.hpp"

#include "../../advise/type_groups.hpp"
#include "bar_plot.hpp"
#include "timeline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

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

namespace {

constexpr std::size_t most_bars = 10;
constexpr std::size_t bar_letters = 60;

/// The program's CPU time as one bar: calls, page faults, and the rest.
markup whole_run(id_source& ids, const allocation_time& time) {
    constexpr double height = 22;
    const auto block = [](const char* style, double from, double to) {
        return bar_block(style, from, to, height / 2, height);
    };
    const double calls = std::clamp(time.calls, 0.0, 1.0);
    const double all = std::clamp(time.share, calls, 1.0);
    const std::string words =
        fmt::format("Of the program's CPU time, allocation takes {}: {} in calls, {} in page faults",
                    typeset(unit::share, time.low, time.high), typeset(unit::share, time.calls),
                    typeset(unit::share, time.page_faults));
    return element("p", {{"class", "plot-title"}}, text(words)) +
           stretching_svg(ids, "Time in the allocator", words + ".", height,
                          block("rest", 0, 1) + block("fill", 0, calls) + block("possible", calls, all), {});
}

std::vector<double> as_doubles(const std::vector<std::uint64_t>& values) {
    return {values.begin(), values.end()};
}

} // namespace

markup time_plot(id_source& ids, const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known()) {
        return {};
    }
    span_plot plot{"Time in the allocator", "share of the program's CPU time", unit::share, {}};
    plot.rows.push_back({"all types", time.low, std::max(time.low, time.high), emphasis::muted});
    for (const advised_type& t : a.types) {
        if (const time_share share = t.statistics.time.share();
            share.value > 0 && plot.rows.size() <= most_bars) {
            plot.rows.push_back({shortened(label_of(t), bar_letters), share.low, share.high,
                                 is_pool(t.what) ? emphasis::ours : emphasis::none});
        }
    }
    return whole_run(ids, time) + (plot.rows.size() > 1 ? draw(ids, plot) : markup{});
}

markup run_over_time(id_source& ids, const trace_analysis& t) {
    std::size_t width = 1;
    timeline_plot plot{"Over the run", 0, {}};
    const auto add = [&](const char* title, unit what, std::vector<double> values) {
        if (!values.empty()) {
            plot.series.push_back({title, what, std::move(values), {}});
        }
    };
    const bool has_peak = t.all.peak_live_bytes != 0;
    plot.peak_ns = has_peak ? static_cast<double>(t.peak_ns) : -1;
    add("Live bytes", unit::bytes,
        fewer_steps(as_doubles(t.over_time.live_bytes), most_timeline_steps, false, width));
    if (has_peak && !plot.series.empty()) {
        plot.series.front().note =
            fmt::format("at most {}, at {}", typeset(unit::bytes, static_cast<double>(t.all.peak_live_bytes)),
                        typeset(unit::nanoseconds, static_cast<double>(t.peak_ns)));
    }
    add("Live blocks", unit::count,
        fewer_steps(as_doubles(t.over_time.live_blocks), most_timeline_steps, false, width));
    std::vector<double> rate = as_doubles(t.over_time.events);
    const double step_s = static_cast<double>(t.over_time.step_ns) / 1e9;
    for (double& v : rate) {
        v = step_s > 0 ? v / step_s : 0;
    }
    add("Events a second", unit::count, fewer_steps(rate, most_timeline_steps, true, width));
    plot.step_ns = static_cast<double>(t.over_time.step_ns) * static_cast<double>(width);
    return draw(ids, plot);
}

markup block_histograms(id_source& ids, const site_statistics& s, const char* lifetime, const char* size) {
    const markup pair = draw(ids, histogram_plot{lifetime, unit::nanoseconds, s.lifetimes}) +
                        draw(ids, histogram_plot{size, unit::bytes, s.size_histogram});
    return pair.empty() ? pair : element("div", {{"class", "histograms"}}, pair);
}

} // namespace linn::tool::html
