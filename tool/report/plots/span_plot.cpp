// SPDX-License-Identifier: Apache-2.0
#include "span_plot.hpp"

#include "bar_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::html {

markup draw(id_source& ids, const span_plot& plot) {
    if (plot.rows.empty()) {
        return {};
    }
    double most = 0;
    for (const span_row& r : plot.rows) {
        most = std::max({most, r.low, r.high});
    }
    const linear_axis scale{plot.what, most > 0 ? most * 1.05 : 0.01};
    bar_frame frame;
    for (const span_row& r : plot.rows) {
        const double y = frame.next_y();
        const double low = scale.place(r.low);
        const std::string figures = typeset(plot.what, r.low, r.high);
        frame.add_row(r.label, r.style, fmt::format("{}: {}", r.label, figures),
                      bar_block("fill", 0, low, y, bar_frame::thickness) +
                          bar_block("possible", low, scale.place(r.high), y, bar_frame::thickness),
                      text(figures), fmt::format("{} {}", r.label, figures));
    }
    return frame.picture(ids, plot.title, plot.axis_title, "strips spans", placed_ticks(scale, 5));
}

} // namespace linn::tool::html
