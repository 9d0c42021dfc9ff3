// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include "unit.hpp"

namespace linn::tool::statistics_tests {

TEST_CASE("the geometric mean treats a halving and a doubling alike") {
    CHECK(geometric_mean(std::vector<double>{0.5, 2}) == doctest::Approx(1));
    CHECK(geometric_mean(std::vector<double>{1, 10, 100}) == doctest::Approx(10));
    CHECK(geometric_mean(std::vector<double>{}) == 0);
}

TEST_CASE("the error of the median shrinks with agreement and ignores an outlier") {
    CHECK(relative_median_error(std::vector<double>{100}) == 0);
    CHECK(relative_median_error(std::vector<double>{100, 100, 100}) == 0);
    // Median absolute deviation 1, four values.
    CHECK(relative_median_error(std::vector<double>{99, 99, 101, 101}) ==
          doctest::Approx(1.4826 * 1.2533 / 2 / 100));
    CHECK(relative_median_error(std::vector<double>{99, 100, 100, 101, 9000}) < 0.01);
    CHECK(relative_median_error(std::vector<double>{50, 75, 100, 125, 150}) > 0.1);
}

TEST_CASE("a gap has no direction") {
    CHECK(relative_gap(100, 103) == doctest::Approx(0.03));
    CHECK(relative_gap(103, 100) == doctest::Approx(0.03));
    CHECK(relative_gap(0, 5) == 0);
}

} // namespace linn::tool::statistics_tests
