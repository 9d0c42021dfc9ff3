// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../profile/profile_measure.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a budget limits: the measures of a profile, and the most bytes live at once.
inline constexpr std::size_t budget_limits = profile_measures + 1;
inline constexpr std::size_t peak_limit = profile_measures;

/// "allocations" … "peak-bytes"; keys of the file have '_' instead of '-'.
const char* limit_name(std::size_t limit) noexcept;
/// As a sentence calls it: "allocations", "bytes live at once".
const char* limit_words(std::size_t limit) noexcept;
figures::quantity figure_of_limit(std::size_t limit, std::uint64_t value);

/// One table of a budget file. Patterns may hold '*' for any letters; an empty one matches everything.
struct budget {
    std::string name;     ///< as reports call it; never empty
    std::string program;  ///< the recorded program's name; budgets of other programs are passed over
    std::string type;     ///< "Order", "std::list<Order>"
    std::string function; ///< that is on the stack, with its namespace
    std::string file;     ///< of the place: "engine.cpp", "src/engine.cpp"
    std::array<std::optional<std::uint64_t>, budget_limits> most; ///< at least one has a value
    std::uint32_t line = 0;

    /// True where it is about the program as a whole.
    bool is_of_all() const noexcept { return type.empty() && function.empty() && file.empty(); }
};

/// There is no such file, or it holds no budgets: "FILE:LINE: what is wrong".
class unusable_budgets : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reads a text of budgets. @param name of the file, for the error. @throws unusable_budgets
std::vector<budget> read_budgets(std::string_view text, const std::string& name);

/// Likewise for a file. @throws unusable_budgets
std::vector<budget> read_budget_file(const std::filesystem::path& file);

/// Whether a text is what a pattern says: '*' stands for any letters, all else for itself.
/// @complexity O(text x pattern) at worst
bool matches(std::string_view pattern, std::string_view text) noexcept;

} // namespace linn::tool
