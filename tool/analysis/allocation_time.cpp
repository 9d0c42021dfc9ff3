// SPDX-License-Identifier: Apache-2.0
#include "allocation_time.hpp"

#include <algorithm>
#include <cmath>

namespace linn::tool {

void site_time::merge(const site_time& other) noexcept {
    calls += other.calls;
    page_faults += other.page_faults;
    variance += other.variance;
    systematic += other.systematic;
    samples += other.samples;
}

time_share site_time::share() const noexcept {
    const double value = calls + page_faults;
    const double half = 1.96 * std::sqrt(variance) + systematic;
    return {std::max(0.0, value - half), value, std::min(1.0, value + half)};
}

} // namespace linn::tool
