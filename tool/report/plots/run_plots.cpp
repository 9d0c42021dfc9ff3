// SPDX-License-Identifier: Apache-2.0
#include "../../run/run.hpp"
#include "plots.hpp"

#include <cmath>

namespace linn::tool::html {
namespace {

/// Better and worse as judged, the control muted.
emphasis style_of(const run_row& row, std::string_view metric) {
    if (row.contender.is_control()) {
        return emphasis::muted;
    }
    const estimate* e = row.find_estimate(metric);
    if (e == nullptr) {
        return emphasis::none;
    }
    return e->call == verdict::better  ? emphasis::good
           : e->call == verdict::worse ? emphasis::bad
                                       : emphasis::none;
}

strip_panel panel_of(const run_result& result, const metric_info& m) {
    strip_panel panel{std::string{m.title}, "ratio to the default", {}, 0};
    if (const auto floor = result.noise_floor.find(std::string{m.name}); floor != result.noise_floor.end()) {
        panel.noise = floor->second.floor;
    }
    const run_row* reference = result.find(default_name);
    for (const run_row& row : result.rows) {
        strip& s = panel.strips.emplace_back();
        const estimate* e = row.find_estimate(m.name);
        if (reference == nullptr || e == nullptr) {
            continue;
        }
        // To the default in the same round, which cancels what the machine did to both.
        for (const auto& [round, log_ratio] : pair_rounds(row, *reference, m.name)) {
            s.samples.push_back(std::exp(log_ratio));
        }
        s.middle = {e->ratio, e->ratio_low, e->ratio_high};
        s.style = style_of(row, m.name);
    }
    return panel;
}

} // namespace

markup metrics_plot(const run_result& result, const std::vector<const metric_info*>& shown) {
    strip_plot plot;
    for (const run_row& row : result.rows) {
        plot.labels.push_back({row.contender.title, style_of(row, {}), false});
    }
    for (const metric_info* m : shown) {
        plot.panels.push_back(panel_of(result, *m));
    }
    return draw(plot);
}

} // namespace linn::tool::html
