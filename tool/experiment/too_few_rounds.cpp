// SPDX-License-Identifier: Apache-2.0
#include "too_few_rounds.hpp"

#include "../measure/quantity.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linn::tool {
namespace {

/// The seconds that the rounds needed take, by the time of those done, with room for one more; in tens from 20 on. 0: not
/// known.
double seconds_needed(const too_few_rounds& rounds) {
    if (rounds.done == 0 || rounds.seconds <= 0) {
        return 0;
    }
    const double seconds =
        rounds.seconds / static_cast<double>(rounds.done) * static_cast<double>(rounds.needed + 1);
    return seconds < 20 ? std::ceil(seconds) : std::ceil(seconds / 10) * 10;
}

std::string shortage_of(const too_few_rounds& rounds, std::string_view purpose) {
    return fmt::format("{} too few {} ({} needed)", figures::counted(rounds.done, "round is", "rounds are"),
                       purpose, rounds.needed);
}

} // namespace

std::string text_of(const too_few_rounds& rounds, std::string_view purpose) {
    std::string text = shortage_of(rounds, purpose);
    if (rounds.why == stop_reason::interrupted) {
        return text + ": it was stopped";
    }
    const double seconds = seconds_needed(rounds);
    if (rounds.why == stop_reason::budget) {
        text += seconds > 0 ? ": use --budget " + figures::written(figures::unit::count, seconds)
                            : ": use a larger --budget";
    } else {
        text += fmt::format(": use --rounds {}{}", rounds.needed,
                            seconds > 0 ? fmt::format(" (about {})", figures::seconds_text(seconds)) : "");
    }
    return rounds.others.empty() ? text : fmt::format("{} or {}", text, rounds.others);
}

} // namespace linn::tool
