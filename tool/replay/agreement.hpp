// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What `linn run` measured of one allocator.
struct measured_contender {
    std::string name;
    std::vector<double> ratios; ///< to the default in the same round; of the default: ones
};

/// A smaller difference, as a share of the program's CPU time, is none: where code and data happen to lie moves a program
/// by as much, and `linn run` claims none that is smaller either.
/// @source Mytkowicz, Diwan, Hauswirth and Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong!, 2009
inline constexpr double least_replay_claim = 0.01;

/// Compares the order that a replay predicts with the one that `linn run` measured, of the rows that both have. Two
/// allocators are told apart, by either, where the interval of the median of their ratios excludes 1 and the median lies
/// outside the noise floor, which takes `rounds_to_judge` rounds, and by the replay where they are apart by `least_replay_claim`. `measured_floor` is the run's noise floor as a share.
replay_agreement compare_with_run(const replay_result& result,
                                  const std::vector<measured_contender>& measured, double measured_floor,
                                  std::string file);

} // namespace linn::tool
