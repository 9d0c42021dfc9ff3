// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../measure/files.hpp"
#include "../profile/trace_profile.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// One table of a budget file. Patterns may hold '*' for any letters; an empty one matches everything.
struct budget {
    std::string name;     ///< as reports call it; never empty
    std::string program;  ///< the recorded program's name; budgets of other programs are passed over
    std::string type;     ///< "Order", "std::list<Order>"
    std::string function; ///< that is on the stack, with its namespace
    std::string file;     ///< of the place: "engine.cpp", "src/engine.cpp"
    std::array<std::optional<std::uint64_t>, profile_measures> most; ///< at least one has a value
    std::uint32_t line = 0;

    /// True where it is about the program as a whole.
    bool is_of_all() const noexcept { return type.empty() && function.empty() && file.empty(); }
};

/// Reads a file of budgets. @throws unusable_input
std::vector<budget> read_budget_file(const std::filesystem::path& file);

/// A stack that a budget is about, and how much it used of the limit.
struct counted_stack : profile_row {
    std::uint64_t used = 0;
};

/// One limit of one budget.
struct checked_limit {
    budget of;
    profile_measure limit = profile_measure::allocations;
    std::uint64_t most = 0;
    std::uint64_t used = 0;
    std::uint64_t used_at_most = 0; ///< if the budget is about all whose type, function or file is not known
    std::vector<counted_stack> stacks; ///< of a broken one: those that use most, the first few

    bool is_broken() const noexcept { return used > most; }
    bool is_unknown() const noexcept { return !is_broken() && used_at_most > most; }
    /// A value in the unit of the limit.
    figures::quantity figure(std::uint64_t value) const {
        return figure_of(limit, static_cast<double>(value));
    }
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
    /// Why the recording is not whole, or what in it has no names: kept limits may be broken after all.
    std::vector<std::string> incomplete;
    std::string problem; ///< why nothing was checked; empty: it was

    std::size_t broken() const noexcept;
    bool is_kept() const noexcept { return broken() == 0 && incomplete.empty(); }
};

/// Compares a recording with its budgets. The trace is read again for each budget of peak_bytes that is not of the whole program.
/// Throws what its reader throws.
check_result check_budgets(const std::vector<budget>& budgets, const trace_profile& profile);

} // namespace linn::tool
