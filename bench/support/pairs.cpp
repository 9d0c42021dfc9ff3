// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

namespace linn::bench {

worst_ratio worst_against(const results& all, role rivals, const row& ours) {
    worst_ratio worst;
    for (const batch_cell& b : batch_cells) {
        const champion rival = all.best(rivals, b.cell);
        const double mine = minimum_of(ours, b.cell);
        if (rival.value > 0 && mine > 0 && (worst.ratio <= 0 || rival.value / mine < worst.ratio)) {
            worst = {rival.value / mine, b.cell, rival.label};
        }
    }
    return worst;
}

worst_ratio worst_above_floor(const results& all, const row& ours) {
    worst_ratio worst;
    for (const batch_cell& b : batch_cells) {
        const champion floor = all.best(role::floor, b.cell);
        const double mine = minimum_of(ours, b.cell);
        if (floor.value > 0 && mine / floor.value > worst.ratio) {
            worst = {mine / floor.value, b.cell, floor.label};
        }
    }
    return worst;
}

} // namespace linn::bench
