// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"

#include <fmt/format.h>

namespace linn::bench::pair {
namespace {

verdict judge_flatness(const row& ours) {
    double least = 0;
    double most = 0;
    for (const batch_cell& b : batch_cells) {
        const double v = minimum_of(ours, b.cell);
        if (b.batch < 8 || v <= 0) {
            continue;
        }
        least = least <= 0 || v < least ? v : least;
        most = v > most ? v : most;
    }
    const double ratio = least > 0 ? most / least : 0;
    return {"flat: largest at most 1.3 x the least, batches of 8 to 1 000 000",
            fmt::format("{:.2f} x", ratio), ratio > 0 && ratio <= 1.3};
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    const worst_ratio rival = worst_against(all, role::general, *ours);
    const worst_ratio floor = worst_above_floor(all, *ours);
    return {
        judge_flatness(*ours),
        {"at least 3 x the best general allocator, every batch",
         fmt::format("worst {:.2f} x, batch {} ({})", rival.ratio, rival.cell, rival.rival),
         rival.ratio >= 3},
        {"at most 1.3 x the floor, every batch",
         fmt::format("worst {:.2f} x, batch {}", floor.ratio, floor.cell),
         floor.ratio > 0 && floor.ratio <= 1.3},
    };
}

} // namespace
} // namespace linn::bench::pair

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "pair",
                         .title = "take 64-byte objects and give them back, by the number live at once",
                         .unit = "nanoseconds a pair",
                         .samples_are_ticks = true,
                         .cells = batch_cell_names(),
                         .contenders = {{"linn", role::ours, pair::run_linn},
                                        {"array", role::floor, pair::run_floor},
                                        {"list", role::peer, pair::run_list},
                                        {"general", role::general, pair::run_general}},
                         .rounds = 15,
                         .judge = pair::judge});
}
