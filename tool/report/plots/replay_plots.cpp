// SPDX-License-Identifier: Apache-2.0
#include "replay_plots.hpp"

#include "span_plot.hpp"
#include "strip_plot.hpp"

#include <algorithm>

namespace linn::tool::html {
namespace {

constexpr std::size_t label_letters = 60;

const replay_row* default_row(const replay_result& result) {
    const replay_row* r = result.find(default_name);
    return r != nullptr && r->failure.empty() && !r->seconds.empty() ? r : nullptr;
}

/// The rounds by the default's in the same round, which cancels what the machine did to both.
std::vector<double> paired_ratios(const replay_row& r, const replay_row& base) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i != std::min(r.seconds.size(), base.seconds.size()); ++i) {
        if (base.seconds[i] > 0) {
            ratios.push_back(r.seconds[i] / base.seconds[i]);
        }
    }
    return ratios;
}

} // namespace

std::string name_of(const replay_row& row) {
    const std::string name = row.title.empty() ? row.name : row.title;
    return row.version.empty() || name.find(row.version) != std::string::npos ? name
                                                                              : name + ' ' + row.version;
}

emphasis style_of(const replay_row& row) {
    if (row.name == linn_name) {
        return emphasis::ours;
    }
    return row.name == null_name || row.name == default_again_name ? emphasis::muted : emphasis::none;
}

markup rounds_plot(id_source& ids, const replay_result& result, const std::vector<replay_row>& rows,
                   const char* title, std::size_t most) {
    const replay_row* base = default_row(result);
    if (base == nullptr) {
        return {};
    }
    strip_plot plot{
        {}, {{title, "CPU time by that of the default", {}, result.noise_floor}}, result.options.level};
    for (const replay_row& r : rows) {
        if (!r.failure.empty() || r.seconds.empty() || plot.labels.size() == most) {
            continue;
        }
        plot.labels.push_back({shortened(name_of(r), label_letters),
                               &rows == &result.groups ? emphasis::ours : style_of(r), false});
        plot.panels.front().strips.push_back({paired_ratios(r, *base), {r.ratio, r.ratio_low, r.ratio_high}});
    }
    return plot.labels.empty() ? markup{} : draw(ids, plot);
}

markup savings_plot(id_source& ids, const replay_result& result) {
    span_plot plot{"What would have been saved", "share of the run's CPU time", unit::share, {}};
    if (!(result.program_cpu_seconds > 0)) {
        return {};
    }
    for (const replay_row& r : result.rows) {
        if (!r.failure.empty() || r.seconds.empty() || !(r.change_low < 0) || r.name == default_name ||
            r.name == default_again_name) {
            continue;
        }
        const bool is_null = r.name == null_name;
        plot.rows.push_back({is_null ? "an allocator that costs nothing" : r.title,
                             std::max(0.0, -r.change_high), std::max(0.0, -r.change_low), style_of(r)});
    }
    return draw(ids, plot);
}

} // namespace linn::tool::html
