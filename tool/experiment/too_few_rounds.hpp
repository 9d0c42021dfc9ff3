// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/statistics.hpp"
#include "rounds.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace linn::tool {

/// An experiment with fewer rounds than a judgement needs.
struct too_few_rounds {
    std::size_t done = 0;
    std::size_t needed = rounds_to_judge;
    double seconds = 0; ///< that the rounds done took; 0: not known
    stop_reason why = stop_reason::rounds;
    std::string_view others = {}; ///< what else helps: "--only"; empty: nothing
};

/// "2 rounds are too few to compare 12 allocators (9 needed): use --budget 280 or --only", and where the number of rounds
/// was given "…: use --rounds 9 (about 4 min) or --only". `purpose` is "to compare 12 allocators". @pre done < needed
std::string text_of(const too_few_rounds& rounds, std::string_view purpose);

} // namespace linn::tool
