// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statistics.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace linn::tool::figures {

// How every part of the tool writes its figures, in sentences, tables and pages.

/// What a figure counts, and so how it is written.
enum class unit {
    number,      ///< three significant digits, no exponent: "0.0123", "56.7", "12345"
    count,       ///< every digit: "1048576"
    about,       ///< a count of which three digits tell enough: "842", "12.3 k", "15.1 M"
    share,       ///< "1.2 %", "12 %"
    change,      ///< "+4.2 %"
    saving,      ///< "4.2 %", "11.9 %": a share of which the digit after the point always counts
    ratio,       ///< near 1, where the third digit after the point counts: "0.994"
    times,       ///< far from 1: "0.42", "2.51", "12.3"
    nanoseconds, ///< "12.3 ms"
    bytes,       ///< "64 B", "1.50 KiB"
    chance,      ///< a p-value: "0.0312", "< 0.0001"
};

/// The multiple in which all figures of a column are written, so that they can be compared at a glance. Its name stands in
/// the heading, not in the cells.
struct scale {
    std::string_view name;
    double size = 0; ///< 0: each figure in the multiple that suits it, with its name
    int decimals = 0;
};

/// What is shown of a figure that has an interval.
enum class part { value, bounds, both };

/// Tables of terminals and files get ASCII without a gap; sentences the word "to" and thousands that stand apart; pages a minus
/// sign and an en dash too.
enum class lettering { plain, prose, typeset };

/// A figure with its unit. How it is written is decided here and nowhere else.
struct quantity {
    unit what = unit::number;
    double value = unknown_bound; ///< no finite number: a dash
    double low = unknown_bound;   ///< of its interval; unknown: there is none
    double high = unknown_bound;
    part shows = part::value;
    scale in = {};
    int digits = 3;         ///< significant ones, where the unit does not say otherwise
    int decimals = 6;       ///< after the point of a number, at most
    bool is_signed = false; ///< "+0.3"; a change always is

    /// What a table sorts it by.
    double key() const noexcept { return shows == part::bounds ? low : value; }

    /// "12.3 ms", "0.981-1.024", "11.9 % (11.2 to 12.6)" in prose.
    std::string text(lettering style = lettering::plain) const;
};

/// A value alone.
quantity figure_of(unit what, double value);

/// A value with its interval, where that is known.
quantity figure_of(unit what, const interval& i);

/// The interval alone: "0.981-1.024", "9-12 %", "-1.0 to 3.0 %", one figure where both ends are written alike.
quantity bounds_of(unit what, double low, double high);

/// A figure in the multiple of its column.
quantity figure_of(unit what, double value, const scale& in);

/// The multiple that suits all of a column's times, in nanoseconds.
scale common_scale(std::span<const double> times);

/// Mebibytes with a digit after the point: what columns of memory are written in.
inline constexpr scale mebibytes{"MiB", 1024.0 * 1024, 1};

/// "95 %" for the level 0.95 of an interval: the heading of a column of bounds.
std::string level_text(double level);

/// A value alone, in letters.
std::string written(unit what, double value, lettering style = lettering::plain);

/// A round value on an axis, without digits that it does not need: "0.05", "1e6", "64 B", "20 ms". `like` decides the
/// multiple, so that all marks of an axis can have the same.
std::string mark_text(unit what, double value, double like);

/// "1.2 %", "12 %" for 0.012 and 0.12.
std::string percent(double share);

/// Sizes are told to the byte below this; only what is larger is rounded.
inline constexpr std::uint64_t least_rounded_bytes = 10'000;

/// "9999 bytes", "12 KiB", "1.5 MiB", in a sentence.
std::string bytes_text(std::uint64_t bytes);

/// "12 ms", "1.5 s", "90 s", "5 min", "2.0 h": how long a user waits, roughly.
std::string seconds_text(double seconds);

/// "59 s", "2 min 5 s": how long something took.
std::string elapsed_text(double seconds);

/// The form of a noun or a verb that goes with a count: `one` for 1, otherwise `many`.
std::string_view agreeing(std::uint64_t count, std::string_view one, std::string_view many);

/// "1 round", "3 rounds", "2 processes", "4 entries". A phrase has its own plural: counted(n, "event was", "events were").
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

/// A count that is not written digit by digit: "12.3 k allocations".
std::string counted(const quantity& count, lettering style, std::string_view one, std::string_view many = {});

/// Whether the subject of a sentence is one thing ("the preload") or several ("the pools", and what "would" follows).
enum class subject { one, many };

/// What a change saves, or costs where the saving is negative: "saves 4.2 % (3.0 to 5.1)", "cost 1.0 % (-0.3 to 2.2)". Bounds
/// that are not known are left out.
std::string saving_text(subject who, const interval& saved);

} // namespace linn::tool::figures
