// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../profile/trace_profile.hpp"
#include "budgets.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// A stack that a budget is about, and how much it used of the limit.
struct counted_stack {
    std::string label; ///< of the type
    profile_frame place;
    std::vector<profile_frame> stack; ///< innermost first
    std::uint64_t used = 0;
};

/// One limit of one budget.
struct checked_limit {
    budget of;
    std::size_t limit = 0;
    std::uint64_t most = 0;
    std::uint64_t used = 0;
    std::uint64_t used_at_most = 0; ///< if the budget is about all whose type, function or file is not known
    std::vector<counted_stack> stacks; ///< of a broken one: those that use most, the first few

    bool is_broken() const noexcept { return used > most; }
    bool is_unknown() const noexcept { return !is_broken() && used_at_most > most; }
};

/// The whole of `linn check`.
struct check_result {
    std::string budget_file;
    std::string trace;
    std::vector<std::string> command;  ///< that was recorded
    std::vector<checked_limit> limits; ///< in the order of the file
    std::size_t others = 0;            ///< budgets of other programs
    std::string verdict;
    std::vector<std::string> warnings;
    std::vector<std::string>
        incomplete; ///< why the recording is not whole, or what in it has no names: kept limits may be broken after all
    std::string problem; ///< why nothing was checked; empty: it was

    std::size_t broken() const noexcept;
    bool is_kept() const noexcept { return broken() == 0 && incomplete.empty(); }
};

/// The most bytes that some sites together had live at once; one truth value for each site of the profile.
using peak_function = std::function<std::uint64_t(const std::vector<bool>& sites)>;

/// Compares a recording with its budgets. `peak` is called for budgets of peak_bytes that are not of the whole program.
check_result check_budgets(const std::vector<budget>& budgets, const trace_profile& profile,
                           const peak_function& peak);

} // namespace linn::tool
