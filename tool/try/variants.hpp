// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "candidates.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The chosen pools with other options, or pools of more types, as counts and measurements suggest. Each is measured together with the
/// chosen.
struct try_variant {
    std::string name;   ///< of its row, one of variant_names
    std::string title;  ///< "these, on small pages"
    std::string change; ///< "on small pages": the title without what stands for the pools
    std::string why;    ///< "the pools of `order` and `trade` ask for huge ones"
    pool_plan plan;
    std::vector<std::size_t> served; ///< the candidates whose pools these are
    bool is_shared = false;          ///< by types that else have pools of their own
};

/// The names that a row of a variant may have; stable.
inline constexpr std::string_view variant_names[] = {"in-turns", "one-pool-a-size", "padded", "small-pages",
                                                     "all-by-size"};

/// At least this share of a type's releases come from another thread: padding may gain.
inline constexpr double remote_share = 0.1;
/// Types are allocated in turns if so many of the allocations of each have one of the other before or behind them.
inline constexpr double turns_share = 0.5;
/// One pool for them has slots of the largest, which may be so many times the smallest.
inline constexpr unsigned most_unlike_slots = 2;

/// "`order`, `trade` and 3 more", where `more` of what there is have no place. @pre there is a name
std::string listed_names(std::vector<std::string> names, std::size_t more);

/// The same of pools, of which the first three are named. @pre there is one
std::string listed_pools(const try_candidates& candidates, const std::vector<std::string>& pools);

/// The variants of the plan of `chosen` that promise something, most promising first: one pool for the types that are
/// allocated in turns, one for those whose slots have one size, cache lines of their own for objects that other threads free, and
/// small pages instead of huge ones. A variant changes the pools that its reason names, and leaves the others.
std::vector<try_variant> variants_of(const try_candidates& candidates,
                                     const std::vector<std::size_t>& chosen);

/// Not only the chosen, but all of these, with one pool for each size; none where no two have one size. For programs in which
/// a pool for each size gains more than pools of the types' own.
std::optional<try_variant> all_by_size(const try_candidates& candidates, const std::vector<std::size_t>& all);

} // namespace linn::tool
