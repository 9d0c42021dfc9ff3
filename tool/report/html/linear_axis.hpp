// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axis.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::html {

/// What is counted on an axis; decides which marks are round.
enum class quantity { count, bytes, nanoseconds, share };

/// A value of a quantity with its unit: "12 345", "1.5 MiB", "1.2 ms", "4.2 %".
std::string text_of(quantity what, double value);

/// Two values of a quantity, the unit once where it is the same: "3.1 – 11 %", "−0.4 to 3.8 %"; one where they
/// are written alike.
std::string range_text(quantity what, double low, double high);

/// An axis from 0: where values lie on it, and which of them are marked.
class linear_axis {
public:
    /// An axis that ends at `high`; one that is no positive finite number counts as 1.
    linear_axis(quantity what, double high) noexcept;

    /// The share of the axis's length at which a value lies; what is outside lies at the ends.
    double place(double value) const noexcept;

    double high() const noexcept { return high_; }

    /// At most `most` round values, 0 the first: steps of 1, 2 or 5, of bytes powers of two. Times have one unit.
    /// @pre `most` is at least 2
    std::vector<tick> ticks(std::size_t most) const;

private:
    double step(std::size_t most) const;

    quantity what_;
    double high_;
};

} // namespace linn::tool::html
