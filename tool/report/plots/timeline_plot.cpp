// SPDX-License-Identifier: Apache-2.0
#include "../../analysis/trace_analysis.hpp"
#include "plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linn::tool::html {
namespace {

constexpr double top = 22; // for the title
constexpr double plot_height = 110;
constexpr double bottom = 20;
constexpr std::size_t most_steps = 400; // what a screen can show

/// One measure over time.
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
        const double wide = step(high / static_cast<double>(most - 1));
        std::vector<tick> list;
        for (double i = 0; i * wide <= high * (1 + 1e-9); ++i) {
            list.push_back({i * wide, figures::mark_text(what, i * wide, high)});
        }
        return list;
    }

private:
    double step(double wanted) const {
        if (what == unit::bytes) {
            return std::max(1.0, std::exp2(std::ceil(std::log2(wanted))));
        }
        return what == unit::count ? std::max(1.0, round_step(wanted)) : round_step(wanted);
    }
};

/// Several steps drawn as one: the largest of each, or their mean.
std::vector<double> fewer_steps(const std::vector<std::uint64_t>& values, std::size_t width, bool is_mean) {
    std::vector<double> fewer;
    for (std::size_t from = 0; from < values.size(); from += width) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(from + width, values.size()));
        fewer.push_back(is_mean ? std::accumulate(first, end, 0.0) / static_cast<double>(end - first)
                                : static_cast<double>(*std::max_element(first, end)));
    }
    return fewer;
}

double height_of(const linear_axis& scale, double value) {
    return top + plot_height * (1 - scale.place(value));
}

/// The outline of the steps, and with `closes` down to the base, so that it can be filled.
std::string path_of(const std::vector<double>& values, const linear_axis& scale, bool closes) {
    const double count = static_cast<double>(values.size());
    std::string path = closes ? fmt::format("M0 {}", coordinate(top + plot_height)) : std::string{};
    double last = -1;
    for (std::size_t i = 0; i != values.size(); ++i) {
        const double y = height_of(scale, values[i]);
        if (i == 0) {
            path += fmt::format("{}0 {}", closes ? 'L' : 'M', coordinate(y));
        } else if (y != last) {
            path += fmt::format("H{}V{}", across(static_cast<double>(i) / count), coordinate(y));
        }
        last = y;
    }
    path += "H1000";
    if (closes) {
        path += fmt::format("V{}Z", coordinate(top + plot_height));
    }
    return path;
}

/// `note`: behind the title. `mark`: where a line stands, as a share of the width; negative: nowhere.
markup panel_of(id_source& ids, const series& s, const linear_axis& time, const std::string& note,
                double mark) {
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
    markup shapes = path_element("grid", marks);
    shapes += path_element("area", path_of(s.values, scale, true));
    shapes += path_element("edge", path_of(s.values, scale, false));
    if (mark >= 0) {
        shapes += path_element(
            "peak", fmt::format("M{} {}v{}", across(mark), coordinate(top), coordinate(plot_height)));
    }
    const double end = s.values.back();
    return element("div", {{"class", "panel"}},
                   stretching_svg(ids, s.title,
                                  fmt::format("{} over {}: at most {}, {} at the end.", s.title,
                                              typeset(unit::nanoseconds, time.high), typeset(s.what, most),
                                              typeset(s.what, end)),
                                  top + plot_height + bottom, shapes, words));
}

} // namespace

markup run_over_time(id_source& ids, const trace_analysis& t) {
    const std::size_t steps = t.over_time.live_bytes.size();
    if (steps == 0 || t.over_time.step_ns == 0) {
        return {};
    }
    const std::size_t width = (steps + most_steps - 1) / most_steps;
    const auto step_ns = static_cast<double>(t.over_time.step_ns);
    std::vector<double> events = fewer_steps(t.over_time.events, width, true);
    for (double& v : events) {
        v *= 1e9 / step_ns;
    }
    const series all[]{{"Live bytes", unit::bytes, fewer_steps(t.over_time.live_bytes, width, false)},
                       {"Live blocks", unit::count, fewer_steps(t.over_time.live_blocks, width, false)},
                       {"Events a second", unit::count, std::move(events)}};
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
        panels += panel_of(ids, s, time, is_first ? note : "", is_first ? peak : -1);
    }
    return element("div", {{"class", "timeline"}, {"role", "group"}, {"aria-label", "Over the run"}}, panels);
}

} // namespace linn::tool::html
