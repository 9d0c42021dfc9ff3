// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/statistics.hpp"
#include "rounds.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace linn::tool {

/// A smaller difference of a whole program is never claimed, however quiet the machine was: the size of the environment
/// and the order of libraries alone move a program's time by about as much.
/// @source Mytkowicz, Diwan, Hauswirth and Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong!, 2009
inline constexpr double least_program_claim = 0.01;

enum class verdict {
    better,
    worse,
    no_difference, ///< none that these rounds can show
    not_judged,    ///< too few rounds for a claim
};

/// A contender's median in one metric, and its ratio to the reference's.
struct paired_estimate {
    double median = 0;
    double low = 0; ///< interval of the median
    double high = 0;
    double ratio = 1; ///< median of the ratios to the reference in the same round; below 1: less
    double ratio_low = 1;
    double ratio_high = 1;
};

/// What is known of one metric of one contender.
struct estimate : paired_estimate {
    double p = 1;          ///< Wilcoxon's signed-rank test of the logarithms of these ratios
    double p_adjusted = 1; ///< after Holm, over the contenders
    verdict call = verdict::not_judged;

    bool is_different() const noexcept { return call == verdict::better || call == verdict::worse; }
};

/// The gap that a difference must exceed to be claimed: what two copies of the same thing showed.
struct noise {
    double ratio = 1;
    double low = 1;
    double high = 1;
    double p = 1;
    double floor = 0; ///< as a share: 0.012 means 1.2 %
};

/// The median of all rounds. Of fewer values than `rounds_to_judge` the bounds are not known.
paired_estimate estimate_median(std::span<const double> values, double level);

/// Adds the ratio to the reference, from the logarithms of the ratios in the rounds that have both. No test, no call.
void estimate_ratio(paired_estimate& e, std::span<const double> log_ratios, double level);

/// How far a ratio is from 1, as a share of the smaller side: 2 and 0.5 are equally far.
double distance(double ratio);

/// The gap that the second copy of the reference shows: the outer bound of its interval. @pre the bounds are known
double noise_floor_of(const paired_estimate& control);

/// Whether the interval of the ratio excludes 1 and the ratio lies beyond the noise floor. False where bounds are not known.
bool exceeds_noise(const paired_estimate& e, double floor);

/// An experiment with fewer rounds than a judgement needs.
struct too_few_rounds {
    std::size_t done = 0;
    std::size_t needed = rounds_to_judge;
    double seconds = 0; ///< that the rounds done took; 0: not known
    double besides = 0; ///< seconds of the budget that went elsewhere
    stop_reason why = stop_reason::rounds;
    std::string_view others = {}; ///< what else helps: "--only"; empty: nothing
};

/// "2 rounds are too few to compare 12 allocators (9 needed): use --budget 280 or --only", and where the number of rounds
/// was given "…: use --rounds 9 (about 4 min) or --only". `purpose` is "to compare 12 allocators". @pre done < needed
std::string text_of(const too_few_rounds& rounds, std::string_view purpose);

} // namespace linn::tool
