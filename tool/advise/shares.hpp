// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/trace_analysis.hpp"

#include <string>

namespace linn::tool {

/// The share of the program's CPU time that writing the type's zeros took, as it was measured. 0: not known.
double fill_share(const site_statistics& s, const trace_info& info);

/// "2.1 %", "18 %", "less than 0.1 %".
std::string share_text(double share);

/// "at most 2.1 %", "less than 0.1 %".
std::string at_most_text(double share);

/// "9 to 12 %".
std::string range_text(double low, double high);

} // namespace linn::tool
