// SPDX-License-Identifier: Apache-2.0
#include "profile_measure.hpp"

#include <cmath>

namespace linn::tool {

const std::vector<std::string>& profile_measure_names() {
    static const std::vector<std::string> names{"allocations", "bytes", "temporary", "live-blocks",
                                                "live-bytes"};
    return names;
}

const char* to_string(profile_measure m) noexcept {
    return profile_measure_names()[static_cast<std::size_t>(m)].c_str();
}

const char* words_of(profile_measure m) noexcept {
    constexpr std::array words{"allocations", "bytes", "temporary allocations", "blocks never released",
                               "bytes never released"};
    return words[static_cast<std::size_t>(m)];
}

figures::quantity figure_of(profile_measure m, double value) {
    using figures::unit;
    if (m == profile_measure::bytes || m == profile_measure::live_bytes) {
        return figures::figure_of(unit::bytes, value);
    }
    figures::quantity q = figures::figure_of(value == std::floor(value) ? unit::count : unit::number, value);
    q.digits = 4;
    return q;
}

profile_counts& profile_counts::operator+=(const profile_counts& more) noexcept {
    for (std::size_t i = 0; i != of.size(); ++i) {
        of[i] += more.of[i];
    }
    return *this;
}

} // namespace linn::tool
