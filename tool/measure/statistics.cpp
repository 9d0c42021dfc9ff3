// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace linn::tool {

namespace {

/// Not by way of `long double`, whose tables are made at the start and throw under Valgrind.
using in_double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double middle_of(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size();
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/// How many times larger the error of the median is than that of independent values; 1 if they look so, or are too few to
/// tell. Of n independent values n / 2 lie above the median, with a variance of n / 4. Where a busy machine makes values alike
/// that are measured one after another, batches of them vary more.
double growth_by_drift(std::span<const double> values, double middle) {
    constexpr std::size_t batches = 8;
    const std::size_t size = values.size() / batches;
    if (size < 3) {
        return 1;
    }
    std::array<double, batches> above{};
    for (std::size_t i = 0; i != batches * size; ++i) {
        above[i / size] += values[i] > middle ? 1 : 0;
    }
    const double mean = std::accumulate(above.begin(), above.end(), 0.0) / batches;
    double squares = 0;
    for (const double count : above) {
        squares += (count - mean) * (count - mean);
    }
    const double variance = squares / (batches - 1);
    return std::max(1.0, std::sqrt(variance / (static_cast<double>(size) / 4)));
}

} // namespace

double median(std::span<const double> values) {
    return middle_of(sorted(values));
}

interval median_interval(std::span<const double> values, double level) {
    const std::vector<double> x = sorted(values);
    const std::size_t n = x.size();
    interval i{middle_of(x), unknown_bound, unknown_bound};
    if (n < rounds_to_judge) {
        return i;
    }
    // How often the median lies between x[k] and x[n - 1 - k]: as often as more than k of n lie on each side of it.
    const boost::math::binomial_distribution<double, in_double> halves{static_cast<double>(n), 0.5};
    const auto held = [&](std::size_t k) { return 1 - 2 * cdf(halves, static_cast<double>(k)); };
    double outer = held(0);
    if (outer < level) {
        return i;
    }
    // So many independent values would hold it in a wider interval as often as these do.
    level = std::min(outer,
                     std::erf(growth_by_drift(values, i.middle) * boost::math::erf_inv(level, in_double{})));
    std::size_t k = 0;
    double inner = held(1);
    while (inner >= level) {
        outer = inner;
        inner = held(++k + 1);
    }
    const double share = (outer - level) / (outer - inner);
    const double rank = static_cast<double>(k + 1);
    const double all = static_cast<double>(n);
    const double inwards = (all - rank) * share / (rank + (all - 2 * rank) * share);
    i.low = std::lerp(x[k], x[k + 1], inwards);
    i.high = std::lerp(x[n - 1 - k], x[n - 2 - k], inwards);
    return i;
}

interval ratio_of_medians(std::span<const double> values, std::span<const double> reference, double level) {
    const interval a = median_interval(values, level);
    const interval b = median_interval(reference, level);
    const double middle = a.middle / b.middle;
    if (a.middle == 0) { // has no logarithm
        return {0, a.low / b.high, a.high / b.low};
    }
    const double down = std::hypot(std::log(a.middle / a.low), std::log(b.high / b.middle));
    const double up = std::hypot(std::log(a.high / a.middle), std::log(b.middle / b.low));
    return {middle, middle * std::exp(-down), middle * std::exp(up)};
}

double minimum(std::span<const double> values) {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double relative_median_error(std::span<const double> values) {
    const double middle = median(values);
    if (values.size() < 2 || middle == 0) {
        return 0;
    }
    std::vector<double> deviations;
    for (const double v : values) {
        deviations.push_back(std::abs(v - middle));
    }
    constexpr double deviation_to_sigma = 1.4826; // of a normal distribution
    constexpr double sigma_to_error = 1.2533;     // square root of pi / 2
    return deviation_to_sigma * sigma_to_error * median(deviations) /
           std::sqrt(static_cast<double>(values.size())) / middle;
}

double geometric_mean(std::span<const double> values) {
    if (values.empty()) {
        return 0;
    }
    double sum = 0;
    for (const double v : values) {
        sum += std::log(v);
    }
    return std::exp(sum / static_cast<double>(values.size()));
}

double relative_gap(double a, double b) {
    const double low = std::min(a, b);
    return low <= 0 ? 0 : std::max(a, b) / low - 1;
}

namespace {

/// Up to so many values the exact distributions are counted: every count is then at most 2^50 and exact in a double.
constexpr std::size_t most_exact = 50;

/// Ranks from 1, equal values sharing the mean of theirs; doubled, so they are whole numbers.
struct ranking {
    std::vector<std::size_t> doubled; ///< one for each value
    double tie_term = 0;              ///< the sum of t³ - t over groups of t equal values
};

ranking rank(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    ranking result{std::vector<std::size_t>(values.size()), 0};
    for (std::size_t begin = 0; begin != order.size();) {
        std::size_t end = begin + 1;
        while (end != order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i != end; ++i) {
            result.doubled[order[i]] = begin + 1 + end; // twice the mean of begin + 1 … end
        }
        const double t = static_cast<double>(end - begin);
        result.tie_term += t * t * t - t;
        begin = end;
    }
    return result;
}

/// How likely a sum of some of the ranks is as far out as `observed`, where each choice of them is as likely as another: twice the
/// smaller tail, each with the observed value. With `chosen` exactly so many are chosen.
double two_sided(const std::vector<std::size_t>& ranks, std::size_t observed,
                 std::optional<std::size_t> chosen = {}) {
    // counts[k * width + s]: in how many ways k of the ranks can have the sum s; of any number of them where none is given.
    const std::size_t width = ranks.size() * (ranks.size() + 1) + 1;
    std::vector<double> counts((chosen.value_or(0) + 1) * width);
    counts[0] = 1;
    std::size_t reached = 0;
    for (const std::size_t r : ranks) {
        reached += r;
        for (std::size_t k = chosen.value_or(1); k != 0; --k) {
            double* const to = &counts[chosen ? k * width : 0];
            const double* const from = chosen ? to - width : to;
            for (std::size_t s = reached; s >= r; --s) {
                to[s] += from[s - r];
            }
        }
    }
    const auto begin = counts.end() - static_cast<std::ptrdiff_t>(width);
    const auto at = begin + static_cast<std::ptrdiff_t>(observed);
    const double lower = std::accumulate(begin, at + 1, 0.0);
    const double upper = std::accumulate(at, counts.end(), 0.0);
    return std::min(1.0, 2 * std::min(lower, upper) / (lower + upper - *at));
}

/// The two-sided tail of a normal distribution beyond `distance` from its mean, less half a step for continuity.
double normal_tails(double distance, double deviation) {
    if (deviation <= 0) {
        return 1;
    }
    return std::erfc(std::max(0.0, std::abs(distance) - 0.5) / deviation / std::sqrt(2.0));
}

} // namespace

double wilcoxon_signed_rank(std::span<const double> differences) {
    std::vector<double> signs(differences.begin(), differences.end());
    std::erase(signs, 0);
    if (signs.empty()) {
        return 1;
    }
    std::vector<double> sizes(signs.size());
    std::ranges::transform(signs, sizes.begin(), [](double d) { return std::abs(d); });
    const ranking ranks = rank(sizes);
    std::size_t positive = 0; // twice the sum of the positive differences' ranks
    for (std::size_t i = 0; i != signs.size(); ++i) {
        positive += signs[i] > 0 ? ranks.doubled[i] : 0;
    }

    const double n = static_cast<double>(sizes.size());
    if (sizes.size() > most_exact) {
        const double mean = n * (n + 1) / 4;
        const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_term / 48;
        return normal_tails(static_cast<double>(positive) / 2 - mean, std::sqrt(variance));
    }
    return two_sided(ranks.doubled, positive);
}

double mann_whitney(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return 1;
    }
    if (a.size() > b.size()) {
        std::swap(a, b); // the counting below is cheaper for fewer choices, and the result is the same
    }
    std::vector<double> both(a.begin(), a.end());
    both.insert(both.end(), b.begin(), b.end());
    const ranking ranks = rank(both);
    const std::size_t rank_sum = std::accumulate(
        ranks.doubled.begin(), ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size()), std::size_t{0});

    const double n_a = static_cast<double>(a.size());
    const double n_b = static_cast<double>(b.size());
    const double n = n_a + n_b;
    if (both.size() > most_exact) {
        const double mean = n_a * (n + 1) / 2;
        const double variance = n_a * n_b / 12 * (n + 1 - ranks.tie_term / (n * (n - 1)));
        return normal_tails(static_cast<double>(rank_sum) / 2 - mean, std::sqrt(variance));
    }
    return two_sided(ranks.doubled, rank_sum, a.size());
}

std::vector<double> holm(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return p_values[x] < p_values[y]; });
    std::vector<double> adjusted(p_values.size());
    double so_far = 0; // a later one is never more significant than an earlier one
    for (std::size_t i = 0; i != order.size(); ++i) {
        so_far = std::max(so_far, std::min(1.0, static_cast<double>(order.size() - i) * p_values[order[i]]));
        adjusted[order[i]] = so_far;
    }
    return adjusted;
}

} // namespace linn::tool
