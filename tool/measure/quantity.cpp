// SPDX-License-Identifier: Apache-2.0
#include "quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace linn::tool::figures {
namespace {

constexpr std::string_view narrow_space = "\u202F";

struct multiple {
    double size;
    std::string_view plain;
    std::string_view typeset;
};

constexpr multiple times_by_size[] = {
    {1e9, " s", " s"}, {1e6, " ms", " ms"}, {1e3, " us", " µs"}, {1, " ns", " ns"}};
constexpr multiple bytes_by_size[] = {{1099511627776.0, " TiB", " TiB"},
                                      {1073741824.0, " GiB", " GiB"},
                                      {1048576.0, " MiB", " MiB"},
                                      {1024.0, " KiB", " KiB"},
                                      {1, " B", " B"}};
constexpr multiple counts_by_size[] = {{1e9, " G", " G"}, {1e6, " M", " M"}, {1e3, " k", " k"}};
constexpr double least_shortened_count = 9'999.5;

/// Sets the digits before the point apart in threes; four of them stay together.
std::string grouped(std::string digits, lettering style) {
    if (style == lettering::plain) {
        return digits;
    }
    const std::size_t sign = digits.find_first_of("0123456789");
    const std::size_t whole = std::min(digits.find('.'), digits.size()) - sign;
    if (whole > 4) {
        for (std::size_t i = whole; i > 3; i -= 3) {
            digits.insert(sign + i - 3, style == lettering::prose ? " " : narrow_space);
        }
    }
    return digits;
}

std::string significant(double value, int digits, lettering style, int most_decimals = 6) {
    const double size = std::abs(value);
    if (size < std::max(0.00005, 0.5 * std::pow(10, -most_decimals))) {
        return "0";
    }
    // What would round up to the next power of ten has a digit less after the point.
    const int magnitude = static_cast<int>(std::floor(std::log10(size * (1 + 0.5 * std::pow(10, -digits)))));
    return grouped(fmt::format("{:.{}f}", value, std::clamp(digits - 1 - magnitude, 0, most_decimals)),
                   style);
}

/// The largest that leaves a digit before the point; 999.6 of the next smaller one would be written as 1000.
const multiple& multiple_of(double value, int digits, std::span<const multiple> largest_first) {
    const double nearly = 1 - 0.5 * std::pow(10, -digits);
    return *std::find_if(largest_first.begin(), largest_first.end() - 1,
                         [&](const multiple& m) { return std::abs(value) >= m.size * nearly; });
}

std::string in_multiple(double value, int digits, std::span<const multiple> largest_first, lettering style) {
    const multiple& found = multiple_of(value, digits, largest_first);
    const double shown = value / found.size;
    const bool is_whole_byte = found.plain == " B" && shown == std::floor(shown);
    return (is_whole_byte ? fmt::format("{:.0f}", shown) : significant(shown, digits, style)) +
           std::string{style == lettering::typeset ? found.typeset : found.plain};
}

std::string fixed(double value, bool is_signed, int decimals) {
    const double rounded = std::round(value * std::pow(10, decimals)) / std::pow(10, decimals);
    const double shown = rounded == 0 ? 0 : rounded; // not "-0.0"
    return is_signed ? fmt::format("{:+.{}f}", shown, decimals) : fmt::format("{:.{}f}", shown, decimals);
}

std::string percentage(double share, bool is_signed, int decimals) {
    return fixed(share * 100, is_signed, decimals) + " %";
}

/// Shares below a tenth have a digit after the point.
int decimals_of(double share) {
    return share != 0 && std::abs(share) < 0.0995 ? 1 : 0;
}

/// One end of an interval, or the value, without what the style sheet of a page makes of it. `like` decides the digits.
std::string one_end(const quantity& q, double value, double like, lettering style) {
    if (q.in.size != 0) {
        return grouped(fixed(value / q.in.size, q.is_signed, q.in.decimals), style);
    }
    switch (q.what) {
    case unit::count:
        return grouped(fmt::format("{:.0f}", value), style);
    case unit::about:
        return std::abs(value) < least_shortened_count ? fmt::format("{:.0f}", value)
                                                       : in_multiple(value, q.digits, counts_by_size, style);
    case unit::share:
        return percentage(value, q.is_signed, decimals_of(like));
    case unit::change:
        return percentage(value, true, 1);
    case unit::saving:
        return percentage(value, q.is_signed, 1);
    case unit::ratio:
        return value < 9.995 ? fmt::format("{:.3f}", value) : significant(value, q.digits, style);
    case unit::times:
        return value >= 0.0995 && value < 9.995 ? fmt::format("{:.2f}", value)
                                                : significant(value, value < 1 ? 2 : q.digits, style);
    case unit::nanoseconds:
        return in_multiple(value, q.digits, times_by_size, style);
    case unit::bytes:
        return in_multiple(value, q.digits, bytes_by_size, style);
    case unit::chance:
        return value < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", value);
    case unit::number:
        break;
    }
    return significant(value, q.digits, style, q.decimals);
}

/// "9-12 %", "-1.0 to 3.0 %": the name of the unit once where it is the same.
std::string range(const quantity& q, lettering style) {
    if (!are_bounds(q.low, q.high)) {
        return {};
    }
    const std::string from = one_end(q, q.low, q.high, style);
    const std::string to = one_end(q, q.high, q.high, style);
    // In brackets behind the value one figure would be a riddle.
    if (from == to && (q.shows == part::bounds || style != lettering::prose)) {
        return to;
    }
    const std::size_t space = from.rfind(' ');
    const bool is_same_unit = space != std::string::npos && to.ends_with(from.substr(space));
    const bool has_sign = from.starts_with('-') || from.starts_with('+');
    const char* const between = has_sign || style == lettering::prose ? " to "
                                : style == lettering::plain           ? "-"
                                                                      : " – ";
    return (is_same_unit ? from.substr(0, space) : from) + between + to;
}

/// The plural of a noun that is written as most are.
std::string plural_of(std::string_view noun) {
    const auto ends_with_any = [&](std::initializer_list<std::string_view> ends) {
        return std::ranges::any_of(ends, [&](std::string_view end) { return noun.ends_with(end); });
    };
    if (ends_with_any({"s", "x", "z", "ch", "sh"})) {
        return std::string{noun} + "es";
    }
    if (noun.ends_with('y') && !ends_with_any({"ay", "ey", "oy", "uy"})) {
        return std::string{noun.substr(0, noun.size() - 1)} + "ies";
    }
    return std::string{noun} + 's';
}

std::string word_for(bool is_one, std::string_view one, std::string_view many) {
    return is_one ? std::string{one} : many.empty() ? plural_of(one) : std::string{many};
}

/// The minus signs of figures, not the hyphens between them.
std::string with_minus_signs(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i != text.size(); ++i) {
        if (text[i] == '-' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(')) {
            out += "−";
        } else {
            out += text[i];
        }
    }
    return out;
}

} // namespace

std::string quantity::text(lettering style) const {
    const auto finish = [&](const std::string& words) {
        return style == lettering::typeset ? with_minus_signs(words) : words;
    };
    if (shows == part::bounds) {
        return finish(range(*this, style));
    }
    if (!std::isfinite(value)) {
        return style == lettering::typeset ? "–" : "-";
    }
    std::string words = one_end(*this, value, value, style);
    if (shows == part::both && are_bounds(low, high)) {
        std::string bounds = range(*this, style);
        // A sentence has the unit once.
        if (const std::size_t unit_at = words.rfind(' '); style == lettering::prose &&
                                                          unit_at != std::string::npos &&
                                                          bounds.ends_with(words.substr(unit_at))) {
            bounds.resize(bounds.size() - (words.size() - unit_at));
        }
        words += fmt::format(" ({})", bounds);
    }
    return finish(words);
}

quantity figure_of(unit what, double value) {
    return {.what = what, .value = value};
}

quantity figure_of(unit what, const interval& i) {
    return {.what = what, .value = i.middle, .low = i.low, .high = i.high, .shows = part::both};
}

quantity bounds_of(unit what, double low, double high) {
    return {.what = what, .low = low, .high = high, .shows = part::bounds};
}

quantity figure_of(unit what, double value, const scale& in) {
    return {.what = what, .value = value, .in = in};
}

scale common_scale(std::span<const double> times) {
    const double largest = times.empty() ? 0 : std::ranges::max(times);
    const double smallest = times.empty() ? 0 : std::ranges::min(times);
    if (largest >= 1e9) {
        return {"s", 1e9, largest >= 10e9 && smallest >= 1e9 ? 1 : 2};
    }
    return {"ms", 1e6, largest < 10e6 ? 2 : largest < 100e6 ? 1 : 0};
}

std::string level_text(double level) {
    return fmt::format("{:g} %", level * 100);
}

std::string written(unit what, double value, lettering style) {
    return figure_of(what, value).text(style);
}

std::string mark_text(unit what, double value, double like) {
    constexpr int exact = 9; // digits: marks are round, so only what the arithmetic lost is rounded away
    if (value == 0 && what != unit::share) {
        return "0";
    }
    multiple in{1, "", ""};
    switch (what) {
    case unit::bytes:
        in = multiple_of(like, exact, bytes_by_size);
        break;
    case unit::nanoseconds:
        in = multiple_of(like, exact, times_by_size);
        break;
    case unit::count:
        if (like >= least_shortened_count) {
            in = multiple_of(like, exact, counts_by_size);
        }
        break;
    case unit::share:
        in = {0.01, " %", " %"};
        break;
    default:
        if (value < 0.001 || value >= 1e5) {
            const double exponent = std::floor(std::log10(value) + 1e-9);
            return fmt::format("{:.0f}e{:.0f}", value / std::pow(10.0, exponent), exponent);
        }
    }
    return fmt::format("{:g}{}", value / in.size, in.typeset);
}

std::string percent(double share) {
    return written(unit::share, share);
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < least_rounded_bytes) {
        return counted(bytes, "byte");
    }
    const auto value = static_cast<double>(bytes);
    const multiple& in = multiple_of(value, 15, bytes_by_size);
    return fmt::format("{:.{}f}{}", value / in.size, in.size > 1024 ? 1 : 0, in.plain);
}

std::string seconds_text(double seconds) {
    if (seconds < 0.0995) {
        return fmt::format("{:.{}f} ms", seconds * 1e3, seconds < 0.00995 ? 1 : 0);
    }
    if (seconds < 9.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    if (seconds < 119.5) {
        return fmt::format("{:.0f} s", seconds);
    }
    if (seconds < 5970) {
        return fmt::format("{:.0f} min", seconds / 60);
    }
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string elapsed_text(double seconds) {
    const long whole = std::lround(seconds);
    return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string_view agreeing(std::uint64_t count, std::string_view one, std::string_view many) {
    return count == 1 ? one : many;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, word_for(count == 1, one, many));
}

std::string counted(const quantity& count, lettering style, std::string_view one, std::string_view many) {
    const std::string number = count.text(style);
    return fmt::format("{} {}", number, word_for(number == "1", one, many));
}

std::string saving_text(subject who, const interval& saved) {
    const bool is_cost = saved.middle <= -0.0005; // what would be written as 0.0 % is none
    const interval shown = is_cost ? interval{-saved.middle, -saved.high, -saved.low} : saved;
    return fmt::format("{}{} {}", is_cost ? "cost" : "save", who == subject::one ? "s" : "",
                       figure_of(unit::saving, shown).text(lettering::prose));
}

} // namespace linn::tool::figures
