// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/quantity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// What is counted of a type, a place or a whole program.
enum class profile_measure : std::uint8_t {
    allocations,
    bytes,
    temporary,   ///< allocations that the very next call of the thread released
    live_blocks, ///< never released; without what the runtime libraries keep on purpose
    live_bytes,
};
inline constexpr std::size_t profile_measures = 5;

/// A stable word: "allocations", "bytes", "temporary", "live-blocks", "live-bytes".
const char* to_string(profile_measure m) noexcept;
/// Those words, in the order of the enumeration.
const std::vector<std::string>& profile_measure_names();
/// As a sentence calls it: "allocations", "bytes", "temporary allocations", "blocks never released", "bytes never released".
const char* words_of(profile_measure m) noexcept;
/// A value of that measure: whole counts with every digit.
figures::quantity figure_of(profile_measure m, double value);

/// A value for each measure.
struct profile_counts {
    std::array<std::uint64_t, profile_measures> of{};

    std::uint64_t operator[](profile_measure m) const noexcept { return of[static_cast<std::size_t>(m)]; }
    profile_counts& operator+=(const profile_counts& more) noexcept;
};

} // namespace linn::tool
