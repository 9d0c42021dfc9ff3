// SPDX-License-Identifier: Apache-2.0
#include "footprint.hpp"

#include <fmt/format.h>

namespace linn::bench::footprint {
namespace {

std::vector<verdict> judge(const results& all) {
    const champion ours = all.best(role::ours, live_cell);
    const champion rival = all.best(role::general, live_cell);
    const double stays = all.best(role::ours, trimmed_cell).value;
    return {
        {"1 M live objects of 24 bytes: at most 1.03 x payload", fmt::format("{:.3f} x", ours.value),
         ours.value > 0 && ours.value <= 1.03},
        {"below every allocator",
         fmt::format("{:.3f}, best allocator {:.3f} ({})", ours.value, rival.value, rival.label),
         ours.value < rival.value},
        {"all freed and trimmed: at most 1 % stays", fmt::format("{:.2f} %", stays), stays <= 1},
    };
}

} // namespace
} // namespace linn::bench::footprint

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "footprint",
                         .title = "memory of 1 M objects of 24 bytes, live, freed and trimmed",
                         .unit = "as the line says",
                         .samples_are_ticks = false,
                         .cells = {footprint::live_cell, footprint::freed_cell, footprint::trimmed_cell},
                         .contenders = {{"linn", role::ours, footprint::run_linn},
                                        {"general", role::general, footprint::run_general}},
                         .rounds = 5,
                         .judge = footprint::judge});
}
