// SPDX-License-Identifier: Apache-2.0
#include "shares.hpp"

#include "../measure/quantity.hpp"
#include "../trace/info.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

bool is_tiny(double share) {
    return share > 0 && share < 0.001;
}

} // namespace

double fill_share(const site_statistics& s, const trace_info& info) {
    const double cpu_ns = cost_of_program(info).cpu_ns;
    return cpu_ns > 0 ? std::min(1.0, static_cast<double>(s.fill_ns) / cpu_ns) : 0;
}

std::string share_text(double share) {
    return is_tiny(share) ? "less than 0.1 %" : figures::percent(share);
}

std::string at_most_text(double share) {
    return is_tiny(share) ? share_text(share) : "at most " + share_text(std::max(0.0, share));
}

std::string range_text(double low, double high) {
    return is_tiny(high)
               ? share_text(high)
               : figures::bounds_of(figures::unit::share, low, high).text(figures::lettering::prose);
}

} // namespace linn::tool
