// SPDX-License-Identifier: Apache-2.0
// The tests and intervals that decide what the tool may claim: a wrong p-value makes it call noise a finding, and an interval
// promises to hold the true value as often as its level says. Constants marked SciPy are what scipy.stats.wilcoxon and mannwhitneyu
// return; with ties they were counted over all signs and all divisions of the ranks.
#include "measure/statistics.hpp"

#include "experiment/rounds.hpp"
#include "simulated_machine.hpp"
#include "unit.hpp"

namespace linn::tool::statistics_tests {

using values = std::vector<double>;

/// 1 … n with the signs such that the negative ones have the rank sum asked for, as a table of critical values wants it.
values with_rank_sum(int n, int negative) {
    values result;
    for (int r = n; r != 0; --r) {
        const bool is_negative = negative >= r;
        negative -= is_negative ? r : 0;
        result.push_back(is_negative ? -r : r);
    }
    return result;
}

/// Two samples without ties, of a and b values, for which the U of the first is as asked for.
std::pair<values, values> with_u(int a, int b, int u) {
    values first;
    values second;
    for (int i = 0; i != b; ++i) {
        second.push_back(i);
    }
    for (int i = 0; i != a; ++i) {
        const int above = std::min(u, b); // how many of the second lie below this one
        u -= above;
        first.push_back(above - 0.5 + i * 1e-3);
    }
    return {first, second};
}

TEST_CASE("Wilcoxon's critical values are those of the tables") {
    // The largest smaller rank sum that is significant at 5 % two-sided; Wilcoxon and Wilcox, Some Rapid Approximate
    // Statistical Procedures, 1964, table 2; in every textbook since.
    const std::pair<int, int> table[] = {{6, 0},   {7, 2},   {8, 3},   {9, 5},   {10, 8},  {11, 10},
                                         {12, 13}, {13, 17}, {14, 21}, {15, 25}, {16, 29}, {17, 34},
                                         {18, 40}, {19, 46}, {20, 52}, {25, 89}};
    for (const auto& [n, critical] : table) {
        CAPTURE(n);
        CHECK(wilcoxon_signed_rank(with_rank_sum(n, critical)) <= 0.05);
        CHECK(wilcoxon_signed_rank(with_rank_sum(n, critical + 1)) > 0.05);
    }
    CHECK(wilcoxon_signed_rank(with_rank_sum(5, 0)) == doctest::Approx(0.0625)); // five are never enough
}

TEST_CASE("Wilcoxon's test agrees with SciPy: exact, with ties and zeros, approximate") {
    CHECK(wilcoxon_signed_rank(values{0.44, 0.86, -0.06, 0.75, 1.33, 0.81, 1.96, -0.49, 0.47, -0.31, -0.38,
                                      0.22}) == doctest::Approx(0.06396484375).epsilon(1e-12));
    CHECK(wilcoxon_signed_rank(values{-1, -2, 1, 0, -3, 1, 1, 0, -1, 1, 1, 2}) ==
          doctest::Approx(0.998046875).epsilon(1e-12));
    const values many{1.367,  0.907,  -0.361, -0.847, 0.697,  1.218,  2.177,  1.443,  1.036,  -0.742,
                      -0.48,  2.281,  -1.659, -0.709, 0.889,  -0.773, -0.959, 0.896,  -0.338, 0.449,
                      -0.421, 1.921,  0.497,  0.283,  -0.369, -0.379, -0.902, -0.044, -1.693, 3.069,
                      0.546,  1.172,  0.615,  1.553,  0.046,  1.125,  0.183,  -0.679, -1.822, -0.579,
                      0.487,  0.411,  0.425,  1.887,  -0.351, -0.288, -0.105, 0.746,  -0.086, 0.275,
                      -0.492, -1.812, 1.764,  -0.257, 0.386,  0.152,  -0.431, 2.723,  0.362,  -0.815};
    CHECK(wilcoxon_signed_rank(many) == doctest::Approx(0.11601962226253305).epsilon(1e-12));
}

TEST_CASE("no difference at all is no evidence") {
    CHECK(wilcoxon_signed_rank(values{}) == 1);
    CHECK(wilcoxon_signed_rank(values{0, 0, 0, 0}) == 1);
    CHECK(wilcoxon_signed_rank(values{3}) == 1);
    CHECK(mann_whitney(values{}, values{1, 2}) == 1);
    CHECK(mann_whitney(values{4, 4, 4}, values{4, 4, 4}) == 1);
    CHECK(mann_whitney(values(40, 4.0), values(40, 4.0)) == 1); // the approximation has no variance there
}

TEST_CASE("Mann's and Whitney's critical values are those of the tables") {
    // The largest smaller U that is significant at 5 % two-sided; Milton, An extended table of critical values for the
    // Mann-Whitney statistic, Journal of the American Statistical Association 59, 1964.
    struct entry {
        int a;
        int b;
        int critical;
    };
    for (const auto& [a, b, critical] :
         {entry{4, 4, 0}, entry{5, 5, 2}, entry{6, 6, 5}, entry{7, 7, 8}, entry{8, 8, 13}, entry{9, 9, 17},
          entry{10, 10, 23}, entry{5, 10, 8}, entry{8, 12, 22}, entry{12, 12, 37}, entry{15, 15, 64},
          entry{20, 20, 127}}) {
        CAPTURE(a);
        CAPTURE(b);
        const auto [x, y] = with_u(a, b, critical);
        CHECK(mann_whitney(x, y) <= 0.05);
        const auto [v, w] = with_u(a, b, critical + 1);
        CHECK(mann_whitney(v, w) > 0.05);
    }
}

TEST_CASE("Mann's and Whitney's test agrees with SciPy: exact, with ties, approximate") {
    CHECK(mann_whitney(values{1.3, -0.49, 0.35, -0.76, 0.39, 1.01, 0.64, 0.74},
                       values{1.87, 0.79, 1.3, 1.02, 1.85, 2.53, 0.46, 1.63, 3.32}) ==
          doctest::Approx(0.004031262854792266).epsilon(1e-12));
    CHECK(mann_whitney(values{3, 1, 0, 0, 0, 0, 5, 1}, values{6, 7, 3, 6, 2, 6, 5, 6, 3}) ==
          doctest::Approx(0.0016454134101192926).epsilon(1e-12));
    CHECK(mann_whitney(values{2, 0, 0, 4, 2, 3, 5, 1, 3, 1, 1, 3, 3, 3, 0,
                              1, 3, 3, 1, 5, 3, 1, 3, 1, 0, 0, 2, 2, 1, 4},
                       values{3, 3, 6, 4, 2, 5, 0, 5, 1, 6, 0, 7, 6, 1, 6,
                              3, 2, 5, 4, 7, 5, 6, 3, 4, 5, 6, 7, 1, 4, 3}) ==
          doctest::Approx(0.0002909619069902971).epsilon(1e-12));
}

TEST_CASE("Holm's adjustment multiplies the smallest most, and never reverses an order") {
    CHECK(holm(values{}).empty());
    CHECK(holm(values{0.03}) == values{0.03});
    // Holm, 1979, the procedure by hand: 4 × 0.005, 3 × 0.01, 2 × 0.03, then 1 × 0.04 raised to its predecessor's.
    const values adjusted = holm(values{0.01, 0.04, 0.03, 0.005});
    CHECK(adjusted[0] == doctest::Approx(0.03));
    CHECK(adjusted[1] == doctest::Approx(0.06));
    CHECK(adjusted[2] == doctest::Approx(0.06));
    CHECK(adjusted[3] == doctest::Approx(0.02));
    CHECK(holm(values{0.9, 0.8}) == values{1, 1});
}

using testing::noise_source;

/// How often the 95 % interval of `n` draws holds `truth`.
double coverage(std::size_t n, double truth, const std::function<double()>& draw) {
    constexpr int trials = 3000;
    int held = 0;
    for (int t = 0; t != trials; ++t) {
        values sample(n);
        std::generate(sample.begin(), sample.end(), draw);
        const interval i = median_interval(sample, 0.95);
        held += i.low <= truth && truth <= i.high;
    }
    return held / double{trials};
}

/// 70 % of the runs in a narrow mode, 30 % in a slower and wider one, as runs with and without a migration are.
double two_modes(noise_source& random) {
    return random.uniform() < 0.7 ? 10 + 0.2 * random.normal() : 12 + random.normal();
}

/// The median of `two_modes`, by bisection of its distribution.
double median_of_two_modes() {
    const auto below = [](double x) {
        return 0.7 * 0.5 * std::erfc(-(x - 10) / 0.2 / std::sqrt(2.0)) +
               0.3 * 0.5 * std::erfc(-(x - 12) / std::sqrt(2.0));
    };
    double low = 9;
    double high = 13;
    for (int i = 0; i != 60; ++i) {
        (below((low + high) / 2) < 0.5 ? low : high) = (low + high) / 2;
    }
    return low;
}

TEST_CASE("the interval of a median holds the true one as often as it says") {
    noise_source random{5};
    for (const std::size_t n : {6U, 7U, 10U, 15U, 20U, 30U}) {
        CAPTURE(n);
        CHECK(coverage(n, 3, [&] { return 3 + random.normal(); }) >= 0.93);
        CHECK(coverage(n, 1, [&] { return std::exp(0.5 * random.normal()); }) >= 0.93);
        CHECK(coverage(n, median_of_two_modes(), [&] { return two_modes(random); }) >= 0.93);
    }
}

TEST_CASE("the interval is not wider than it must be") {
    noise_source random{6};
    values sample(20); // too few for a drift to show
    std::generate(sample.begin(), sample.end(), [&] { return random.normal(); });
    values sorted = sample;
    std::sort(sorted.begin(), sorted.end());
    // From the 6th to the 15th of 20 the median lies in 95.9 % of the cases, from the 7th to the 14th in 88.5 %.
    const interval i = median_interval(sample, 0.95);
    CHECK(i.low > sorted[5]);
    CHECK(i.low < sorted[6]);
    CHECK(i.high > sorted[13]);
    CHECK(i.high < sorted[14]);
    const interval narrow = median_interval(sample, 0.5);
    CHECK(narrow.low >= i.low);
    CHECK(narrow.high < i.high);
}

// On a busy machine what is measured one after another is alike, so that n values tell less than n.
TEST_CASE("the interval of a median is wider where values drift") {
    noise_source random{8};
    for (const std::size_t n : {40U, 100U, 350U}) {
        CAPTURE(n);
        double last = 0;
        const auto drifting = [&] { return last = 0.6 * last + 0.8 * random.normal(); };
        CHECK(coverage(n, 0, drifting) >= 0.85); // 0.74 without
        CHECK(coverage(n, 0, [&] { return random.normal(); }) <= 0.98);
    }
}

TEST_CASE("the interval of a ratio of two medians holds the true one as often as it says") {
    noise_source random{7};
    for (const std::size_t n : {6U, 10U, 20U}) {
        CAPTURE(n);
        int held = 0;
        constexpr int trials = 3000;
        for (int t = 0; t != trials; ++t) {
            values a(n);
            values b(2 * n);
            std::generate(a.begin(), a.end(), [&] { return 3 * std::exp(0.2 * random.normal()); });
            std::generate(b.begin(), b.end(), [&] { return 2 * std::exp(0.1 * random.normal()); });
            const interval i = ratio_of_medians(a, b, 0.95);
            held += i.low <= 1.5 && 1.5 <= i.high;
        }
        CHECK(held >= 0.93 * trials);
        CHECK(held <= 0.99 * trials);
    }
}

TEST_CASE("a ratio of medians may be zero, and its interval then begins there") {
    const interval none = ratio_of_medians(values(8, 0.0), values(8, 4.0), 0.95);
    CHECK(none.middle == 0);
    CHECK(none.low == 0);
    CHECK(none.high == 0);
    const interval some = ratio_of_medians(values{0, 0, 1, 1, 1, 1, 1, 1}, values(8, 4.0), 0.95);
    CHECK(some.middle == 0.25);
    CHECK(some.low < 0.25);
    CHECK(some.high == 0.25);
}

// The whole range of five values holds the median in 1 - 2 / 2^5 of the cases at best: no interval of so few keeps 95 %.
TEST_CASE("fewer values than a judgement needs have a median, and no interval") {
    for (std::size_t n = 0; n != rounds_to_judge; ++n) {
        CAPTURE(n);
        const values few(n, 4.0);
        const interval i = median_interval(few, 0.95);
        CHECK(i.middle == (n == 0 ? 0 : 4));
        CHECK_FALSE(i.is_known());
        // No comparison with such a bound claims anything.
        CHECK_FALSE((i.low > 1 || i.high < 1 || i.low <= 1 || i.high >= 1));
        if (n != 0) {
            const interval ratio = ratio_of_medians(values(30, 8.0), few, 0.95);
            CHECK(ratio.middle == 2);
            CHECK_FALSE(ratio.is_known());
        }
    }
    CHECK(ratio_of_medians(values(6, 8.0), values(6, 4.0), 0.95).is_known());
}

} // namespace linn::tool::statistics_tests
