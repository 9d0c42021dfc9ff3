// SPDX-License-Identifier: Apache-2.0
#include "advise_plots.hpp"

#include "../../advise/type_groups.hpp"
#include "bar_frame.hpp"
#include "histogram_plot.hpp"
#include "span_plot.hpp"
#include "timeline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool::html {
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
