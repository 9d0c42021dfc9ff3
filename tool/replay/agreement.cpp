// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include "../measure/quantity.hpp"
#include "../measure/sort_stably.hpp"
#include "../measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace linn::tool {
namespace {

/// A row that both have.
struct both {
    const replay_row* predicted;
    const measured_contender* measured;
    double measured_change;
};

/// What is known of the order of two series.
struct gap {
    double log_ratio = 0; ///< second by first
    bool is_told = false;
};

gap gap_between(const std::vector<double>& a, const std::vector<double>& b, double floor, double level,
                std::uint64_t seed) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i != std::min(a.size(), b.size()); ++i) {
        ratios.push_back(std::log(std::max(b[i], 1e-12) / std::max(a[i], 1e-12)));
    }
    const interval i = bootstrap_median(ratios, level, seed);
    return {i.middle, (i.low > 0 || i.high < 0) && std::abs(i.middle) > std::log1p(floor)};
}

int sign(double x) {
    return (x > 0) - (x < 0);
}

/// Kendall's tau-b of two lists. @source Kendall, Rank Correlation Methods, 1948
double kendall_tau(const std::vector<both>& rows) {
    double balance = 0;
    double pairs_a = 0;
    double pairs_b = 0;
    for (std::size_t i = 0; i != rows.size(); ++i) {
        for (std::size_t j = i + 1; j != rows.size(); ++j) {
            const int a = sign(rows[j].predicted->ratio - rows[i].predicted->ratio);
            const int b = sign(rows[j].measured_change - rows[i].measured_change);
            balance += a * b;
            pairs_a += a != 0 ? 1 : 0;
            pairs_b += b != 0 ? 1 : 0;
        }
    }
    return pairs_a > 0 && pairs_b > 0 ? balance / std::sqrt(pairs_a * pairs_b) : 0;
}

std::vector<both> rows_of_both(const replay_result& result, const std::vector<measured_contender>& measured) {
    std::vector<both> rows;
    for (const replay_row& r : result.rows) {
        if (!r.failure.empty() || r.seconds.empty() || r.name == default_again_name || r.name == null_name ||
            r.name == linn_name) {
            continue;
        }
        const auto found = std::find_if(measured.begin(), measured.end(),
                                        [&](const measured_contender& m) { return m.name == r.name; });
        if (found != measured.end() && !found->ratios.empty()) {
            rows.push_back({&r, &*found, median(found->ratios) - 1});
        }
    }
    sort_stably(rows, [](const both& a, const both& b) { return a.measured_change < b.measured_change; });
    return rows;
}

std::string make_verdict(const replay_agreement& a) {
    if (a.pairs == 0) {
        return "The run tells no two allocators apart, so there is no order to predict.";
    }
    if (a.contradictions.empty()) {
        return fmt::format("The replay's order agrees with the run's: of {} of allocators that the run tells "
                           "apart, {} stand{} the same way round and {} {} a tie in the replay.",
                           figures::counted(a.pairs, "pair"), a.same, a.same == 1 ? "s" : "", a.undecided,
                           a.undecided == 1 ? "is" : "are");
    }
    const replay_disagreement& worst =
        *std::max_element(a.contradictions.begin(), a.contradictions.end(),
                          [](const auto& x, const auto& y) { return x.measured_gap < y.measured_gap; });
    return fmt::format(
        "The replay's order differs from the run's in {} of {} pairs of allocators; the worst: {} is "
        "faster than {} by {} of the program's CPU time, and the replay has it the other way "
        "round. Trust the run.",
        a.contradictions.size(), a.pairs, worst.first, worst.second, figures::percent(worst.measured_gap));
}

} // namespace

replay_agreement compare_with_run(const replay_result& result,
                                  const std::vector<measured_contender>& measured, double measured_floor,
                                  std::string file) {
    replay_agreement a;
    a.file = std::move(file);
    a.metric = "cpu_ns";
    const std::vector<both> rows = rows_of_both(result, measured);
    if (rows.size() < 2) {
        a.problem = fmt::format("{} and the replay have no allocator in common except the default", a.file);
        return a;
    }
    for (const both& r : rows) {
        a.rows.push_back({r.predicted->name, r.predicted->change, r.measured_change});
    }
    a.tau = kendall_tau(rows);
    const double level = result.options.level;
    for (std::size_t i = 0; i != rows.size(); ++i) {
        for (std::size_t j = i + 1; j != rows.size(); ++j) {
            const std::uint64_t seed = result.options.seed + i * 1000 + j;
            const gap truth =
                gap_between(rows[i].measured->ratios, rows[j].measured->ratios, measured_floor, level, seed);
            if (!truth.is_told) {
                continue;
            }
            ++a.pairs;
            const gap guess = gap_between(rows[i].predicted->seconds, rows[j].predicted->seconds,
                                          result.noise_floor, level, seed);
            const double apart = rows[j].predicted->change - rows[i].predicted->change;
            const bool is_worth_it = result.program_cpu_seconds <= 0 || std::abs(apart) >= least_replay_claim;
            if (!guess.is_told || !is_worth_it) {
                ++a.undecided;
            } else if (sign(guess.log_ratio) == sign(truth.log_ratio)) {
                ++a.same;
            } else {
                a.contradictions.push_back({rows[i].predicted->name, rows[j].predicted->name,
                                            rows[j].measured_change - rows[i].measured_change, apart});
            }
        }
    }
    a.verdict = make_verdict(a);
    return a;
}

} // namespace linn::tool
