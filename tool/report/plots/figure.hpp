// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/quantity.hpp"
#include "../../measure/statistics.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::html {

using figures::unit;
using report::emphasis;
using report::shortened;

/// A value as a page writes it: "12 345", "1.50 MiB", "1.2 ms", "4.2 %".
std::string typeset(unit what, double value);

/// The class name for the style sheet; empty for none.
std::string class_of(emphasis e);

/// A picture that is as wide as its box and `height` px high. Shapes are written in a space 1000 wide that stretches;
/// `words` keep their form, so they are placed in percent. `title` and `description` are read out in its stead.
markup stretching_svg(std::string_view title, std::string_view description, double height,
                      const markup& shapes, const markup& words);

/// A coordinate, at most two digits after the point and none that are not needed.
std::string coordinate(double value);

/// The x of `share` (0 to 1) in the stretched space.
std::string across(double share);

/// Words at `share` of the width, `y` px from above; at the ends they are turned inwards.
markup words_at(double share, double y, std::string_view style_class, std::string_view words);

markup path_element(std::string_view style_class, const std::string& d);

/// The title of a panel, its base line `y` px from above.
markup panel_title(double y, std::string_view words);

/// The words at a mark of the axis on the left, `y` px from above.
markup words_before(double y, std::string_view words);

markup folded(std::string_view summary, const markup& content);

struct tick {
    double value = 0;
    std::string label;
};

/// The multiples of the step from `low` to `high`, in the unit of the latter.
std::vector<tick> even_ticks(unit what, double low, double high, double step);

/// The smallest of 1, 2, 5, 10, 20 and so on, or of their tenths, that is no smaller.
double round_step(double least);

/// A logarithmic axis that shows all values it was given, with a little room on both sides: where values lie on it, and which
/// of them are marked. Values that are no positive finite number do not count; an axis of nothing shows 0.5 to 2.
class axis {
public:
    void add(double value) noexcept;

    /// The share of the axis's length at which a value lies: 0 at the start, 1 at the end; outside values at the ends.
    double place(double value) const;

    double low() const;
    double high() const;

    /// At most `most` round values in ascending order: equal steps over a narrow range, powers of two or ten over a wide one.
    /// @pre `most` is at least 2
    std::vector<tick> ticks(std::size_t most) const;

    /// Likewise powers of two, as bytes: "64 B", "8 KiB".
    std::vector<tick> byte_ticks(std::size_t most) const;

private:
    /// Five percent of the length, and never less than 4 % of the value.
    double room() const;

    double smallest_ = 0; ///< 0: none
    double largest_ = 0;
};

/// A line of a strip plot: one contender, or the heading of those that follow.
struct strip_label {
    std::string words;
    emphasis style = emphasis::none;
    bool is_heading = false;
};

/// What one panel shows on one line: every sample as a dot, the median with its interval, and the median in figures.
/// Without a median the line stays empty there.
struct strip {
    std::vector<double> samples;
    interval middle;
    emphasis style = emphasis::none;

    bool is_empty() const noexcept { return !(middle.middle > 0); }
};

/// One measure of all contenders, relative to a reference at 1, on a logarithmic axis.
struct strip_panel {
    std::string title;         ///< above it
    std::string axis_title;    ///< below it
    std::vector<strip> strips; ///< one a label
    double noise = 0;          ///< a share: the band around 1 in which nothing can be told
};

/// Panels that share their lines.
struct strip_plot {
    std::vector<strip_label> labels;
    std::vector<strip_panel> panels;
};

/// The panels whose strips are not all empty, some of them side by side, with the labels before each row.
markup draw(const strip_plot& plot);

} // namespace linn::tool::html
