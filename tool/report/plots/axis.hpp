// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "figure.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::html {

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

/// An axis from 0: where values lie on it, and which of them are marked.
class linear_axis {
public:
    /// An axis that ends at `high`; one that is no positive finite number counts as 1.
    linear_axis(unit what, double high) noexcept;

    /// The share of the axis's length at which a value lies; what is outside lies at the ends.
    double place(double value) const noexcept;

    double high() const noexcept { return high_; }

    /// At most `most` round values, 0 the first: steps of 1, 2 or 5, of bytes powers of two. Times have one unit.
    /// @pre `most` is at least 2
    std::vector<tick> ticks(std::size_t most) const;

private:
    double step(std::size_t most) const;

    unit what_;
    double high_;
};

} // namespace linn::tool::html
