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

} // namespace linn::tool::html
