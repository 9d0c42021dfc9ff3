// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace linn::tool {

/// Four significant digits in the multiple that suits: "12.34 ms" for unit "ns", "5.000 MiB" for "bytes"; the bare
/// number for any other unit.
std::string quantity_text(double value, std::string_view unit);

/// "0.987", and "12.3" where three digits after the point are too many.
std::string ratio_text(double ratio);

/// "0.981-1.024", the bounds of a ratio; empty where they are not known.
std::string ratio_bounds(double low, double high);

/// "95 %" for the level 0.95 of an interval.
std::string level_text(double level);

/// "+4.2 %" for 0.042; empty for what is no number.
std::string signed_percent(double share);

} // namespace linn::tool
