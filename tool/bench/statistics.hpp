// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace linn::tool {

/// The middle value, or the mean of the middle two; 0 for no values.
double median(std::span<const double> values);

/// The smallest value; 0 for no values.
double minimum(std::span<const double> values);

/// The standard error of the median as a share of it, estimated from the median absolute deviation, which a few
/// disturbed samples cannot inflate; 0 for fewer than two values. @source the error of a normal sample's median
double relative_median_error(std::span<const double> values);

/// The geometric mean; 0 for no values. @pre every value is positive
double geometric_mean(std::span<const double> values);

/// How far two values are apart as a share of the smaller one, whichever that is: 0.02 means 2 %.
double relative_gap(double a, double b);

} // namespace linn::tool
