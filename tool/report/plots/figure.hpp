// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../../measure/quantity.hpp"
#include "../document/markup.hpp"

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
markup stretching_svg(id_source& ids, std::string_view title, std::string_view description, double height,
                      const markup& shapes, const markup& words);

/// A coordinate, at most two digits after the point and none that are not needed.
std::string coordinate(double value);

/// The x of `share` (0 to 1) in the stretched space.
std::string across(double share);

/// Words at `share` of the width, `y` px from above; at the ends they are turned inwards.
markup words_at(double share, double y, std::string_view style_class, std::string_view words);

/// A path of that class of the style sheet.
markup path_element(std::string_view style_class, const std::string& d);

/// The title of a panel, its base line `y` px from above.
markup panel_title(double y, std::string_view words);

/// The words at a mark of the axis on the left, `y` px from above.
markup words_before(double y, std::string_view words);

/// A picture, or several, with its caption below.
markup figure_box(const markup& picture, const markup& caption);

/// Content that is folded away until the reader opens it.
markup folded(std::string_view summary, const markup& content);

/// A mark on an axis.
struct tick {
    double value = 0;
    std::string label;
};

/// A logarithmic axis: where values lie on it, and which of them are marked.
class axis {
public:
    /// An axis that shows `low` to `high` with a little room on both sides, and 1 where `through` is in it. Values that
    /// are no positive finite number do not count; an axis of nothing shows 0.5 to 2.
    static axis logarithmic(double low, double high);

    /// The share of the axis's length at which a value lies: 0 at the start, 1 at the end; outside values at the ends.
    double place(double value) const;

    double low() const noexcept { return low_; }
    double high() const noexcept { return high_; }

    /// At most `most` round values in ascending order: steps of 1, 2 or 5 over a narrow range, powers of ten over a
    /// wide one. @pre `most` is at least 2
    std::vector<tick> ticks(std::size_t most) const;

    /// Likewise powers of two, as bytes: "64 B", "8 KiB".
    std::vector<tick> byte_ticks(std::size_t most) const;

private:
    axis(double low, double high) noexcept : low_{low}, high_{high} {}

    double low_;
    double high_;
};

/// The smallest and the largest positive finite value met.
class value_range {
public:
    void add(double value) noexcept;
    void add(const std::vector<double>& values) noexcept;
    bool empty() const noexcept { return low_ == 0; }
    double low() const noexcept { return low_; }
    double high() const noexcept { return high_; }
    axis logarithmic() const { return axis::logarithmic(low_, high_); }

private:
    double low_ = 0;
    double high_ = 0;
};

} // namespace linn::tool::html
