// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"
#include "advice.hpp"

namespace linn::tool {

/// What page faults take of the run, as far as it is known: of a run without recording, which counted them. The least is that of
/// the memory that was live at the peak, at the price of one here; the most that of all of them where the host of a virtual
/// machine is slow, and no more than the run's time in the kernel.
/// @pre the types are grouped
page_fault_cost page_faults_of(const trace_analysis& run, const std::vector<advised_type>& types,
                               double program_cpu_ns, double page_fault_ns);

/// They take so much that what an allocator that costs nothing would save is no bound for one on huge pages.
bool are_large(const page_fault_cost& faults) noexcept;

/// So are those of the types that a preloaded pool of huge pages can serve: what pools save is then not known from counts of calls.
bool may_pools_save(const page_fault_cost& faults) noexcept;

} // namespace linn::tool
