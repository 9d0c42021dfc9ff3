// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace linn::tool {

/// What a trial has to measure, and how long a run takes.
struct trial_wishes {
    std::size_t candidates = 1;
    std::size_t rivals = 0;   ///< general allocators
    std::size_t variants = 0; ///< of the pools
    double seconds_a_run = 0;
    double budget = 180; ///< seconds; 0: none, the number of rounds is given
    double level = 0.95;
};

/// What only explains a gain (`sizes`, `lookup`) and general allocators take part in so many rounds at most. The rest of the
/// budget goes to what the verdict speaks of: the plain program, its copy, the pools, and the empty plan. A number that is fixed
/// beforehand, so that no figure decides how often it is measured.
inline constexpr std::size_t rounds_to_explain = 30;
/// And all others in so many: a half-width of 1 % on a machine where two runs of one program differ by 10 %.
inline constexpr std::size_t rounds_to_decide = 400;

/// How much of that is measured, in three parts: each alone, all together, variants and in front of the best allocator.
struct trial_plan {
    std::size_t alone =
        0; ///< arms with pools of the first part; 0: all types are one candidate, and there is no such part
    bool explains = true; ///< the second part has `sizes` and `lookup`
    std::size_t rivals = 0;
    std::size_t variants = 0;
    bool has_both = false; ///< the third part has the pools in front of the best allocator

    /// Arms of a part, the plain program and its control included; 0: there is no such part.
    std::size_t arms_alone() const noexcept;
    std::size_t arms_together() const noexcept;
    std::size_t arms_further() const noexcept;

    friend bool operator==(const trial_plan&, const trial_plan&) = default;
};

/// The plan that measures most of what there is, each part with the rounds that a claim takes, within the budget. What is left
/// out first is what decides least: that each type has rounds of its own, then all allocators but two and the arms that only
/// explain, then all but one, then variants, then the pools in front of an allocator. One part is always there.
trial_plan plan_trial(const trial_wishes& wishes);

/// Runs of a part with so many arms that a claim takes; 0: it has nothing to compare.
double runs_to_claim(std::size_t arms, double level);

/// Seconds that the whole of a plan takes at least, with the runs that no round counts.
double seconds_of_plan(const trial_plan& plan, const trial_wishes& wishes);

/// The budget that measures everything; for what the report says of a smaller one.
double seconds_for_all(const trial_wishes& wishes);

} // namespace linn::tool
