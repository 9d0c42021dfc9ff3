// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"
#include "arms.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// The library and the folder that plans are written to.
struct try_place {
    std::filesystem::path library;
    std::filesystem::path folder;
};

/// The arm as a contender of a run. Writes its plan. @throws std::runtime_error when that fails
run_contender contender_of(const try_arm& arm, const try_place& place);

/// The same in front of an allocator. @throws the same
run_contender contender_over(const try_arm& arm, const run_contender& allocator, const try_place& place);

/// Variables of a run of the arm that counts, not to be timed. @throws the same
std::vector<std::string> counting_variables(const try_arm& arm, const try_place& place);

/// What such a run left, which it removes: allocations served, one count for each candidate that the arm serves, in its order; empty
/// where no process wrote statistics.
std::vector<std::uint64_t> take_hits(const try_candidates& candidates, const try_arm& arm,
                                     const try_place& place);

} // namespace linn::tool
