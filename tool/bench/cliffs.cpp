// SPDX-License-Identifier: Apache-2.0
#include "cliffs.hpp"

#include "../measure/statistics.hpp"

#include <optional>

namespace linn::tool {

std::vector<cliff> find_cliffs(const scenario& s, const row& r, unsigned threads) {
    struct cost {
        double middle;
        double least;
    };
    std::vector<cliff> found;
    std::optional<cost> before; // of the size before, which phases list in ascending order
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        if (s.phases[p].bytes == 0 || s.phases[p].threads != threads || !r.has(p))
            continue;
        const std::vector<double> cycles = r.cycles(p);
        const cost now{median(cycles), minimum(cycles)};
        if (before && now.middle > cliff_factor * before->middle && now.least > cliff_factor * before->least)
            found.push_back({p, now.middle / before->middle});
        before = now;
    }
    return found;
}

std::string short_size(std::size_t bytes) {
    constexpr std::size_t kib = 1'024;
    return bytes % kib == 0 ? std::to_string(bytes / kib) + 'K' : std::to_string(bytes);
}

} // namespace linn::tool
