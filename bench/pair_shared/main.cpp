// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"

#include <fmt/format.h>

namespace linn::bench::pair_shared {
namespace {

std::vector<verdict> judge(const results& all) {
    std::vector<verdict> list;
    for (const row* ours : all.all(role::ours)) {
        const worst_ratio rival = worst_against(all, role::general, *ours);
        list.push_back({fmt::format("{}: at least 2 x the best allocator, every batch", ours->label),
                        fmt::format("worst {:.2f} x, batch {} ({})", rival.ratio, rival.cell, rival.rival),
                        rival.ratio >= 2});
    }
    return list;
}

} // namespace
} // namespace linn::bench::pair_shared

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(
        argc, argv,
        {.name = "pair-shared",
         .title = "take 64-byte objects and give them back, in a -fPIC shared library",
         .unit = "nanoseconds a pair",
         .samples_are_ticks = true,
         .cells = batch_cell_names(),
         .contenders = {{"linn", role::ours, pair_shared::run_linn},
                        {"linn, not inlined", role::ours, pair_shared::run_linn_call},
                        {"linn, on_this_thread()", role::ours, pair_shared::run_linn_view},
                        {"linn, initial-exec", role::ours, pair_shared::run_linn_initial_exec},
                        {"linn, gnu2", role::ours, pair_shared::run_linn_descriptor},
                        {"linn, gnu2, not inlined", role::ours, pair_shared::run_linn_descriptor_call},
                        {"general", role::general, pair_shared::run_general}},
         .rounds = 15,
         .judge = pair_shared::judge});
}
