// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace linn::tool {

/// The least number of rounds from which anything is judged. With fewer no command gives an interval, and none calls
/// anything better or worse: the whole range of five values holds the median in 94 % of the cases at best, and no
/// signed-rank test of fewer than six can reach 5 %. Medians and ratios are shown all the same.
inline constexpr std::size_t rounds_to_judge = 6;

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

/// The bound of an interval that cannot be given. It is no number, so every comparison with it is false: nothing is
/// claimed by accident.
inline constexpr double unknown_bound = std::numeric_limits<double>::quiet_NaN();

/// Whether these are bounds, and not those of an interval that could not be given.
constexpr bool are_bounds(double low, double high) noexcept {
    return low <= high;
}

/// An estimate with the bounds that hold it at the level asked for; `unknown_bound` where there were too few values.
struct interval {
    double middle = 0;
    double low = 0;
    double high = 0;

    constexpr bool is_known() const noexcept { return are_bounds(low, high); }
};

/// The median with its interval from order statistics: how often the median lies between the k-th smallest and the k-th
/// largest value is known for any distribution; between the two k around `level` it is interpolated. `values` are in the order
/// in which they were measured: where it shows that they are not independent, the interval is wider. The bounds are not
/// known of fewer than `rounds_to_judge` values, nor where even the whole range holds the median less often than `level`.
/// @pre 0 < level < 1 @complexity O(n log n)
/// @source Hettmansperger and Sheather, Confidence intervals based on interpolated order statistics, Statistics and
/// Probability Letters 4, 1986
interval median_interval(std::span<const double> values, double level);

/// The median of `values` by that of `reference`, two samples without pairs, with its interval: on each side the distances of
/// the bounds of the two medians, as logarithms, are added as errors are. @pre neither is empty, nothing in `values` is
/// negative, everything in `reference` is positive
/// @source Zou and Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008
interval ratio_of_medians(std::span<const double> values, std::span<const double> reference, double level);

/// The two-sided p-value of Wilcoxon's signed-rank test that `differences` lie around zero. Exact, ties included, for
/// up to 50 that are not zero; beyond that by the normal approximation with corrections for ties and continuity.
/// Zeros are dropped, as Wilcoxon did; 1 when nothing is left. @source Wilcoxon, Biometrics Bulletin 1, 1945
double wilcoxon_signed_rank(std::span<const double> differences);

/// The two-sided p-value of the Mann-Whitney U test that two independent samples come from one distribution. Exact, ties
/// included, for up to 50 values together; beyond that by the normal approximation with corrections for ties and
/// continuity. 1 when a sample is empty. @source Mann and Whitney, 1947
double mann_whitney(std::span<const double> a, std::span<const double> b);

/// Holm's step-down adjustment: claiming everything whose adjusted value is below alpha makes the chance of any
/// false claim at most alpha. @source Holm, Scandinavian Journal of Statistics 6, 1979
std::vector<double> holm(std::span<const double> p_values);

} // namespace linn::tool
