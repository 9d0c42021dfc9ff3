// SPDX-License-Identifier: Apache-2.0
// The interval of a median and of a ratio of two: what they promise is to hold the true value as often as their level says.
#include "experiment/estimate.hpp"
#include "measure/statistics.hpp"
#include "simulated_machine.hpp"
#include "unit.hpp"

namespace linn::tool::median_interval_tests {

using values = std::vector<double>;

using noise = testing::noise_source;

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
double two_modes(noise& random) {
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
    noise random{5};
    for (const std::size_t n : {6U, 7U, 10U, 15U, 20U, 30U}) {
        CAPTURE(n);
        CHECK(coverage(n, 3, [&] { return 3 + random.normal(); }) >= 0.93);
        CHECK(coverage(n, 1, [&] { return std::exp(0.5 * random.normal()); }) >= 0.93);
        CHECK(coverage(n, median_of_two_modes(), [&] { return two_modes(random); }) >= 0.93);
    }
}

TEST_CASE("the interval is not wider than it must be") {
    noise random{6};
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
    noise random{8};
    for (const std::size_t n : {40U, 100U, 350U}) {
        CAPTURE(n);
        double last = 0;
        const auto drifting = [&] { return last = 0.6 * last + 0.8 * random.normal(); };
        CHECK(coverage(n, 0, drifting) >= 0.85); // 0.74 without
        CHECK(coverage(n, 0, [&] { return random.normal(); }) <= 0.98);
    }
}

TEST_CASE("the interval of a ratio of two medians holds the true one as often as it says") {
    noise random{7};
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

} // namespace linn::tool::median_interval_tests
