// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/run.hpp"
#include "candidates.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

// The names of arms, each a way to run the program; stable.
inline constexpr std::string_view types_arm = "types";     ///< all candidates, a pool for each type
inline constexpr std::string_view by_size_arm = "by-size"; ///< all candidates, a pool for each size
inline constexpr std::string_view every_arm = "every";     ///< every block of any call, by its size
inline constexpr std::string_view empty_arm = "empty";     ///< the preload, and nothing is looked up
inline constexpr std::string_view chosen_arm = "chosen";   ///< the best of the first three, measured again
inline constexpr std::string_view over_arm = "over";       ///< the same in front of the best allocator

/// Pools in one form: what is measured as one.
struct try_arm {
    std::string name;  ///< of its row
    std::string title; ///< "a pool for each type"
    pool_plan plan;
    std::string mode = "on";
    std::vector<std::size_t> served = {};    ///< the candidates whose blocks the pools serve
    std::optional<std::size_t> without = {}; ///< of a part: the candidate that it leaves out
    std::optional<estimate> to_all = {};     ///< of such a part: its CPU time to that of all, judged
};

/// A pool for each type. A plan has room for `most_planned_pools`: the last candidates share a pool for each size if there are more.
try_arm arm_of_types(const try_candidates& candidates, std::vector<std::size_t> which);

/// The same sites, and a pool for each size. With one pool a size already, it has the plan of `arm_of_types`.
try_arm arm_by_size(const try_candidates& candidates, std::vector<std::size_t> which);

/// A pool for each size up to 992 bytes, for any call.
try_arm arm_of_every_block();

/// The preload with that plan, which it does not use.
try_arm arm_without_pools(const pool_plan& plan);

/// What explains the gain of `all`, which is one of the first two above: for each of the `leading` first candidates, the pools
/// without its own, and its own alone. Nothing with one candidate.
std::vector<try_arm> arms_of_parts(const try_candidates& candidates, const try_arm& all, std::size_t leading);

/// "`order`, `trade` and 3 more", where `more` names have no place. @pre there is a name
std::string listed_names(std::vector<std::string> names, std::size_t more);

/// Likewise for pools, of which the first three are named. @pre there is one
std::string listed_pools(const std::vector<std::string>& pools);

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
