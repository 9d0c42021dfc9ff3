// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the exported functions that programs call most jump to. A jump leaves the return address where it was, so what
// looks calls up finds it; and where there is nothing to look for, the jump leads to what the program would have
// called without us.
namespace linn::tool::pools {

/// From now on nothing is looked up, and no block can be a pool's. @pre there are no pools, and there will be none
void pass_all_on() noexcept;

/// Likewise for allocations only, until look_at_calls(): for a plan none of whose sites is loaded yet.
void pass_allocations_on() noexcept;
/// Calls are looked up again; what other threads allocate meanwhile may not be. Thread-safe.
void look_at_calls() noexcept;

// The parts of the operators.
void pass_operators_on() noexcept;
void pass_new_on() noexcept;
void look_at_new() noexcept;

} // namespace linn::tool::pools
