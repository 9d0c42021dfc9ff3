// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axis.hpp"
#include "figure.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::html {

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
