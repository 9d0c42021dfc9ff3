// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"
#include "advice.hpp"

#include <cstddef>
#include <vector>

namespace linn::tool {

/// What depends on the machine more than on the allocator.
struct allocation_prices {
    double page_fault_ns = 250; ///< the first write to a page of new memory
};

/// What some allocations took, with their releases, in nanoseconds over the run.
/// @source docs/design/measurements.md, "What a block costs, by its size"
struct allocation_cost {
    double low = 0;    ///< every block comes from a free list, no page is new
    double likely = 0; ///< what a measured whole is shared out by
    double high = 0;   ///< bursts, and large blocks that are mapped each time
    double most =
        0; ///< no program pays more: every block of the slowest path, every page of it new each time
};

/// By size class: the call, and the page faults that an allocator can spare.
/// Never more than `events x price of an event of its size + page faults of its bytes`, which is `most`.
allocation_cost cost_of(const site_statistics& s, const allocation_prices& prices);

/// What the allocations of each type take, as shares of the run's CPU time. Indices are those of the types given.
class cost_shares {
public:
    /// All shares are 0 where the CPU time is (not known).
    cost_shares(const std::vector<advised_type>& types, const allocation_prices& prices,
                double program_cpu_ns);

    /// Of all types together: the sum, 1 at most.
    gain_range ceiling() const;

    /// Of one type. The lows of all types add up to the ceiling's at most.
    gain_range of(std::size_t type) const;

private:
    double share(double ns) const;

    std::vector<allocation_cost> costs_;
    allocation_cost sum_;
    double program_cpu_ns_;
};

} // namespace linn::tool
