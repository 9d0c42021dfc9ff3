// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/statistics.hpp"
#include "../run/results.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What an arm saves of the CPU time of another one, as a share: 0.119 is 11.9 %; negative: it costs.
struct saving {
    double middle = 0;
    double low = unknown_bound; ///< of the interval at the level of the run
    double high = unknown_bound;

    bool is_known() const noexcept { return are_bounds(low, high); }
};

/// One of several arms, and what the choice of it saves.
struct best_arm {
    std::string name;
    saving saved;
    std::size_t rounds = 0;   ///< that the estimate rests on
    bool is_unanimous = true; ///< every part of the rounds chose this one
};

/// The rounds are split into so many parts.
inline constexpr std::size_t choice_parts = 4;

struct choice_options {
    std::size_t resamples = 10'000;
    /// An arm is chosen over an earlier one of the list only if it saves so much more: arms that are alike are not told apart
    /// by chance.
    double margin = least_program_claim;
};

/// The sound arm of the list that saves most CPU time of `base`, and how much. The rounds are dealt into `choice_parts` parts. For each
/// part the other parts choose an arm, and the part estimates what that arm saves. No round takes part in the choice of the arm that
/// it estimates, so the interval is honest although the arm was selected. Where all parts choose the same arm, the estimate is that
/// of all its rounds. Where they do not, arms are nearly alike, and the interval holds also that of all rounds of the one named.
/// @returns nothing if no arm of the list is sound and ran together with `base`
/// @complexity O(arms x rounds log rounds + resamples x rounds)
std::optional<best_arm> best_of(const run_result& run, const std::vector<std::string>& arms,
                                std::string_view base, const choice_options& options = {});

/// The interval, widened at both ends by what two copies of the plain program certainly differ by in this run.
saving widened_by_control(const run_result& run, saving s, const choice_options& options = {});

} // namespace linn::tool
