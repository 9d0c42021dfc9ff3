// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace linn::tool {

/// What there is to measure first, and how long a run takes.
struct trial_wishes {
    bool has_sizes = true;      ///< a pool for each size is another plan than one for each type
    bool has_every = true;      ///< every block may have a pool, not only types that were asked for
    std::size_t allocators = 0; ///< to compare with
    double seconds_a_run = 0;
    double seconds = 0; ///< what is left of the budget; 0: no limit, the number of rounds is given
};

/// A decision wants so many rounds at least. An interval takes `rounds_to_judge`; a claim by the test takes some more.
inline constexpr std::size_t rounds_to_decide = 12;
/// Allocators, the empty plan and pools that are clearly not the best take part in so many rounds at most: the rest of the budget goes to
/// what the answer depends on.
inline constexpr std::size_t rounds_to_compare = 15;
/// And all others in so many: a half-width of 1 % on a machine where two runs of one program differ by 10 %.
inline constexpr std::size_t most_deciding_rounds = 400;
/// When the answer is clear, explanations get what is left of the budget beyond this share of it.
inline constexpr double deciding_share = 0.75;
/// So many allocators take part in the decision, the best of a short screening.
inline constexpr std::size_t most_allocators = 4;

/// The arms that decide. The plain program, its copy and a pool for each type are always among them.
struct trial_plan {
    bool has_sizes = true;
    bool has_every = true;
    bool has_empty = true;
    std::size_t allocators = 0;
    double rounds = 0;         ///< that there is time for; meaningless without a limit
    double seconds_needed = 0; ///< for `rounds_to_decide` of these arms, from here

    std::size_t arms() const noexcept;
    bool can_decide() const noexcept { return rounds >= rounds_to_decide; }
};

/// The plan with most arms for which there is time for `rounds_to_decide` rounds. What is left out first is what decides least:
/// allocators but one, the empty plan, every block by size, the last allocator. A pool for each size stays.
trial_plan plan_decision(const trial_wishes& wishes);

/// How many rounds a screening of so many allocators has: 3 at most, and none where one took more than a fifth of the time.
std::size_t screening_rounds(std::size_t allocators, const trial_wishes& wishes);

} // namespace linn::tool
