// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "axis.hpp"
#include "figure.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

/// What plots of horizontal bars share: a label on the left of each row, its bar, its figure on the right, and marks below.
class bar_frame {
public:
    static constexpr double thickness = 10; ///< of a bar, px

    bool empty() const noexcept { return spoken_.empty(); }

    void add_heading(std::string_view words);

    /// The height at which the bar of the next row lies, px from above.
    double next_y() const noexcept;

    /// A row with its bar and its figure, which `tip` says in full and `spoken` in short.
    void add_row(std::string_view label, emphasis style, std::string_view tip, const markup& shapes,
                 const markup& figure, std::string spoken);

    /// A line across all rows at a share of the width, above the bars.
    void add_line(std::string_view style_class, double share);

    /// The whole plot. The values of `marks` are shares of the width.
    markup picture(id_source& ids, const std::string& title, const std::string& axis_title,
                   std::string_view classes, const std::vector<tick>& marks) const;

private:
    double y_ = top;
    markup labels_;
    markup bars_;
    markup lines_;
    markup words_;
    std::vector<std::string> spoken_;

    static constexpr double top = 22;
};

/// A rectangle from one share of the width to another, centred at the height `y`.
markup bar_block(std::string_view style_class, double from, double to, double y, double height);

/// The marks of an axis, at their shares of its length.
template <class Axis>
std::vector<tick> placed_ticks(const Axis& scale, std::size_t most) {
    std::vector<tick> list = scale.ticks(most);
    for (tick& t : list) {
        t.value = scale.place(t.value);
    }
    return list;
}

/// A line of a bar plot.
struct bar {
    std::string label;
    double value = 0;
    double low = 0;  ///< of its interval; equal to `value`: none is drawn
    double high = 0; ///< likewise
    std::string remark = {};
    emphasis style = emphasis::none;
};

/// Bars under a heading; the heading may be empty.
struct bar_group {
    std::string heading;
    std::vector<bar> bars;
};

/// Ratios as bars from 1, on a logarithmic axis: to the right above it, to the left below.
struct bar_plot {
    std::string title;
    std::string axis_title;
    std::vector<bar_group> groups;
    double most = 0; ///< a bar beyond it, or below 1 by it, is cut, with gaps near its end; 0: none is
};

/// The plot, or nothing where it has no bars.
markup draw(id_source& ids, const bar_plot& plot);

/// A line of a span plot: a range that is known to its low end and possible up to its high one.
struct span_row {
    std::string label;
    double low = 0;
    double high = 0; ///< at least `low`
    emphasis style = emphasis::none;
};

/// Ranges from 0 on one axis: solid up to the low end, hatched up to the high one.
struct span_plot {
    std::string title;
    std::string axis_title;
    unit what = unit::share;
    std::vector<span_row> rows;
};

/// The plot, or nothing where it has no rows.
markup draw(id_source& ids, const span_plot& plot);

} // namespace linn::tool::html
