// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace linn::tool::html {

/// Three significant digits and all those before the point, thousands set apart by a narrow space, without an exponent:
/// "0.0123", "56.7", "12 345".
/// What rounds to nothing is "0"; what is no finite number is "–".
std::string figure_text(double value);

/// All digits before the point, thousands set apart: "1 048 576".
std::string count_text(double value);

/// A ratio: "0.0045", "0.42", "1.00", "12.3".
std::string ratio_text(double value);

/// A ratio near 1, where the third digit after the point counts: "0.994".
std::string close_ratio_text(double value);

/// A share as a percentage: "1.2 %".
std::string percent_text(double share);

/// "64 B", "8 KiB", "1.5 MiB".
std::string bytes_text(double bytes);

/// Nanoseconds in the unit that suits them: "850 ns", "12.3 ms", "1.23 s".
std::string duration_text(double ns);

/// A coordinate, at most two digits after the point and none that are not needed.
std::string coordinate(double value);

} // namespace linn::tool::html
