// SPDX-License-Identifier: Apache-2.0
#include "cliffs.hpp"

namespace linn::tool {
namespace {

bool is_above(const timing& a, const timing& b) {
    return a.median.middle > cliff_factor * b.median.middle && a.minimum > cliff_factor * b.minimum;
}

} // namespace

std::vector<cliff> find_cliffs(const scenario& s, const row& r) {
    std::vector<std::size_t> points; // curve by curve, the sizes of each in ascending order
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        if (s.phases[p].bytes != 0 && r.in(p) != nullptr) {
            points.push_back(p);
        }
    }
    const auto follows = [&](std::size_t i) { // on the same curve
        return i < points.size() && i != 0 && s.phases[points[i - 1]].threads == s.phases[points[i]].threads;
    };
    const auto cost = [&](std::size_t i) -> const timing& { return r.in(points[i])->cycles; };
    std::vector<cliff> found;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (!follows(i) || !is_above(cost(i), cost(i - 1))) {
            continue;
        }
        const bool stays = !follows(i + 1) || is_above(cost(i + 1), cost(i - 1));
        if (stays) {
            found.push_back({points[i], cost(i).median.middle / cost(i - 1).median.middle});
        }
    }
    return found;
}

std::vector<cliff> cliffs_on(const scenario& s, const row& r, unsigned threads) {
    std::vector<cliff> found = r.cliffs;
    std::erase_if(found, [&](const cliff& c) { return s.phases[c.phase].threads != threads; });
    return found;
}

std::string short_size(std::size_t bytes) {
    constexpr std::size_t kib = 1'024;
    return bytes % kib == 0 ? std::to_string(bytes / kib) + 'K' : std::to_string(bytes);
}

} // namespace linn::tool
