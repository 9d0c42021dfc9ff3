// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/quantity.hpp"

#include <string>

namespace linn::tool::html {

using report::unit;

/// A value as a page writes it: "12 345", "1.50 MiB", "1.2 ms", "4.2 %".
inline std::string text_of(unit what, double value) {
    return report::figure_of(what, value).text(report::lettering::typeset);
}

/// Two ends of a range: "3.1 – 11 %", "−0.4 to 3.8 %".
inline std::string range_text(unit what, double low, double high) {
    return report::bounds_of(what, low, high).text(report::lettering::typeset);
}

inline std::string figure_text(double value) {
    return text_of(unit::number, value);
}
inline std::string count_text(double value) {
    return text_of(unit::count, value);
}
inline std::string ratio_text(double value) {
    return text_of(unit::times, value);
}
inline std::string close_ratio_text(double value) {
    return text_of(unit::ratio, value);
}
inline std::string percent_text(double share) {
    return text_of(unit::share, share);
}
inline std::string bytes_text(double bytes) {
    return text_of(unit::bytes, bytes);
}
inline std::string duration_text(double ns) {
    return text_of(unit::nanoseconds, ns);
}

} // namespace linn::tool::html
