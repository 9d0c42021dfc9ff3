// SPDX-License-Identifier: Apache-2.0
#include "cliffs.hpp"

#include "../measure/statistics.hpp"

namespace linn::tool {

std::vector<cliff> find_cliffs(const scenario& s, const row& r, unsigned threads) {
    struct cost {
        double middle;
        double least;
    };
    struct point {
        std::size_t phase;
        cost price;
    };
    std::vector<point> curve; // phases list sizes in ascending order
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        if (s.phases[p].bytes == 0 || s.phases[p].threads != threads || !r.has(p))
            continue;
        const std::vector<double> cycles = r.cycles(p);
        curve.push_back({p, {median(cycles), minimum(cycles)}});
    }
    const auto is_above = [](const cost& a, const cost& b) {
        return a.middle > cliff_factor * b.middle && a.least > cliff_factor * b.least;
    };
    std::vector<cliff> found;
    for (std::size_t i = 1; i < curve.size(); ++i) {
        const cost& before = curve[i - 1].price;
        const bool stays = i + 1 == curve.size() || is_above(curve[i + 1].price, before);
        if (stays && is_above(curve[i].price, before))
            found.push_back({curve[i].phase, curve[i].price.middle / before.middle});
    }
    return found;
}

std::string short_size(std::size_t bytes) {
    constexpr std::size_t kib = 1'024;
    return bytes % kib == 0 ? std::to_string(bytes / kib) + 'K' : std::to_string(bytes);
}

} // namespace linn::tool
