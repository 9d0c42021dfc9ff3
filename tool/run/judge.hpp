// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// Fills in estimates, calls and noise floors from the samples. Every contender is compared with `default` in the same
/// round, as the logarithm of the ratio. Each round runs the contenders in a random order of its own; if two of them are
/// alike, both signs of that logarithm are therefore equally likely in every round, on any machine, which is
/// all that the signed-rank test asks for. A difference is claimed when the test, adjusted by Holm's method over
/// the contenders, says so at 1 - level, the interval of the ratio excludes 1, and the ratio lies outside the noise
/// floor, which is the outer bound of the interval that the second copy of the default got, at least `least_program_claim`.
/// Rows that failed are not compared. With fewer than `rounds_to_judge` rounds there are no intervals, no noise floors and
/// no claims. `judged_by` becomes CPU time where wall time is noisier than the difference that CPU time shows.
void judge(run_result& result);

/// The logarithm of the ratio of one metric to that of another row, by round: of the rounds in which both ran. A count of nothing
/// is compared too: each count has 1 added.
using paired_rounds = std::map<std::size_t, double>;
paired_rounds pair_rounds(const run_row& row, const run_row& base, std::string_view metric);

/// The logarithms alone, in the order of rounds.
std::vector<double> log_ratios(const paired_rounds& pairs);

/// One row against another one than the default, in the rounds that have both: nothing where there are none. A difference is
/// claimed as `judge` claims one, with the noise floor that it found. @pre `judge` has run
/// @param comparisons how many are made at once (Bonferroni's correction)
std::optional<estimate> compare_rows(const run_result& result, const run_row& row, const run_row& base,
                                     std::string_view metric, std::size_t comparisons = 1);

/// The gap that wall time cannot see for this contender, as a share: the noise floor, or half of its own interval where that
/// is more; 0: not known. @pre `judge` has run
double wall_noise(const run_result& result, const run_row& row);

/// Half the width of the interval of the wall ratio of the contender that is known worst, as a share: 0.01 is 1 %.
/// Infinite where an interval is not known yet.
double worst_precision(const run_result& result);

/// The least number of rounds after which the test can claim anything for so many contenders at that level.
std::size_t least_rounds_to_claim(std::size_t contenders, double level);

/// Writes what the estimates mean into the result: the verdict in one sentence, findings, and warnings about what
/// weakens the figures. @pre `judge` has run
void describe_run(run_result& result);

} // namespace linn::tool
