// SPDX-License-Identifier: Apache-2.0
#include "../../run/run.hpp"
#include "plots.hpp"

#include <cmath>

namespace linn::tool::html {
namespace {

strip_panel panel_of(const run_result& result, const metric_info& m, bool shows_changes = false) {
    strip_panel panel{std::string{m.title},
                      shows_changes ? "change against the default" : "ratio to the default",
                      {},
                      0,
                      shows_changes};
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
    }
    return panel;
}

std::vector<strip_label> labels_of(const run_result& result, std::string_view metric) {
    std::vector<strip_label> labels;
    for (const run_row& row : result.rows) {
        labels.push_back({row.contender.title, style_of(row, metric), false});
    }
    return labels;
}

} // namespace

emphasis style_of(const run_row& row, std::string_view metric) {
    if (row.contender.is_control()) {
        return emphasis::muted;
    }
    const estimate* e = row.find_estimate(metric);
    if (e == nullptr) {
        return emphasis::none;
    }
    switch (e->call) {
    case verdict::better:
        return emphasis::good;
    case verdict::worse:
        return emphasis::bad;
    case verdict::no_difference:
    case verdict::not_judged:
        break;
    }
    return emphasis::none;
}

markup metric_plot(id_source& ids, const run_result& result, const metric_info& m, bool shows_changes) {
    return draw(ids, strip_plot{labels_of(result, m.name), {panel_of(result, m, shows_changes)}});
}

markup other_metrics_plot(id_source& ids, const run_result& result, const metric_info& shown) {
    // A row may be better in one of them and worse in another, so its name takes no side.
    strip_plot plot{labels_of(result, {}), {}};
    for (const metric_info& m : metrics()) {
        if (m.is_compared && m.name != shown.name) {
            plot.panels.push_back(panel_of(result, m));
        }
    }
    return draw(ids, plot);
}

} // namespace linn::tool::html
