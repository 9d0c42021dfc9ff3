// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"
#include "candidates.hpp"
#include "variants.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

// The ways in which `linn try` runs the program besides plain, as contenders of a run. The names are stable.
inline constexpr std::string_view together_arm = "pools"; ///< all that is chosen
inline constexpr std::string_view sizes_arm = "sizes";    ///< a pool for each size, whatever the call
inline constexpr std::string_view lookup_arm = "lookup";  ///< sites are found, the general allocator serves
inline constexpr std::string_view empty_arm = "empty";    ///< the preload, and nothing is looked up
inline constexpr std::string_view both_arm = "both";      ///< the chosen, and an allocator behind them

/// The general allocators that pools must be compared with, as --only of a run.
std::vector<std::string> rivals_of_pools();

/// "pools-3": the third candidate alone.
std::string arm_alone(std::size_t candidate);

/// The library and the folder that plans are written to.
struct try_place {
    std::filesystem::path library;
    std::filesystem::path folder;
};

/// Each candidate alone. Writes their plans. @throws std::runtime_error when that fails
std::vector<run_contender> arms_alone(const try_candidates& candidates, const try_place& place);

/// The chosen together, an empty plan, and where `explains` those two that say where a gain comes from. @throws the same
std::vector<run_contender> arms_together(const try_candidates& candidates,
                                         const std::vector<std::size_t>& chosen, const try_place& place,
                                         bool explains);

/// The chosen together, and each variant of them; nothing without variants. @throws the same
std::vector<run_contender> arms_of_variants(const try_candidates& candidates,
                                            const std::vector<std::size_t>& chosen,
                                            const std::vector<try_variant>& variants, const try_place& place);

/// The chosen together, in front of an allocator. @throws the same
run_contender arm_over(const try_candidates& candidates, const std::vector<std::size_t>& chosen,
                       const run_contender& allocator, const try_place& place);

/// Variables of a run of all candidates that counts, not to be timed. @throws the same
std::vector<std::string> counting_variables(const try_candidates& candidates, const try_place& place);

/// What such a run left: allocations served, one count for each candidate; empty where no process wrote statistics.
std::vector<std::uint64_t> read_hits(const try_candidates& candidates, const try_place& place);

} // namespace linn::tool
