// SPDX-License-Identifier: Apache-2.0
// The tests that decide what the tool may claim. A wrong p-value makes it call noise a finding. Constants marked SciPy are what
// scipy.stats.wilcoxon and mannwhitneyu return; with ties they were counted over all signs and all divisions of the ranks.
#include "measure/statistics.hpp"
#include "unit.hpp"

namespace linn::tool::significance_tests {

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

TEST_CASE("among equal things the whole family of tests errs no oftener than the level says") {
    // Eight comparisons of ten rounds, no difference anywhere, heavy tails: a claim in at most 5 % of the families.
    std::mt19937_64 random{11};
    const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
    const auto noise = [&] { return std::log(uniform() / (1 - uniform())); };
    constexpr int families = 3000;
    int paired_claims = 0;
    int unpaired_claims = 0;
    for (int f = 0; f != families; ++f) {
        values paired;
        values unpaired;
        for (int test = 0; test != 8; ++test) {
            values a(10);
            values b(10);
            values differences(10);
            std::generate(a.begin(), a.end(), noise);
            std::generate(b.begin(), b.end(), noise);
            std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>{});
            paired.push_back(wilcoxon_signed_rank(differences));
            unpaired.push_back(mann_whitney(a, b));
        }
        const values adjusted_paired = holm(paired);
        const values adjusted_unpaired = holm(unpaired);
        paired_claims += *std::min_element(adjusted_paired.begin(), adjusted_paired.end()) < 0.05;
        unpaired_claims += *std::min_element(adjusted_unpaired.begin(), adjusted_unpaired.end()) < 0.05;
    }
    const double slack = 3 * std::sqrt(0.05 * 0.95 / families);
    CHECK(paired_claims / double{families} <= 0.05 + slack);
    CHECK(unpaired_claims / double{families} <= 0.05 + slack);
    CHECK(paired_claims > 0); // the level is used, not merely kept
    CHECK(unpaired_claims > 0);
}

} // namespace linn::tool::significance_tests
