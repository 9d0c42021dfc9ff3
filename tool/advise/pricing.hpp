// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advise.hpp"
#include "allocation_cost.hpp"
#include "one_change.hpp"

#include <cstddef>
#include <functional>

namespace linn::tool {

/// What the allocations of a type take, as a share of the run, by the type's index.
using type_cost = std::function<gain_range(std::size_t type)>;

/// Gives every type its rule, its remedy and its estimated gain, from what its allocations take.
using type_decision = std::function<void(const type_cost& cost)>;

/// Replays the trace: first for the ceiling and for the types that may need a pool whatever their blocks really cost,
/// then as often as types are left for which a pool is advised and that were not replayed, within the budget. Fills in
/// the ceiling and the gains of `a`, and calls `decide` whenever more is known. What one change serves is replayed as one.
void price_by_replay(advice& a, cost_shares& costs, const types_of_changes& changes,
                     const advise_options& options, const advise_parts& parts, const type_decision& decide);

/// Says of every gain that is an estimate why it is one. @pre the types are as price_by_replay() left them
void explain_estimates(advice& a, const advise_options& options, const advise_parts& parts);

/// A replay is made where all allocations together may take more of the run than this.
inline constexpr double worth_a_replay = 0.01;

} // namespace linn::tool
