// SPDX-License-Identifier: Apache-2.0
#include "bulk.hpp"

#include <fmt/format.h>

namespace linn::bench::bulk {
namespace {

std::vector<std::string> cell_names() {
    std::vector<std::string> names;
    for (const burst_cell& c : cells) {
        names.emplace_back(c.cell);
    }
    return names;
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    double worst = 0;
    std::string where;
    for (const burst_cell& c : cells) {
        const champion loop = all.best(role::peer, c.cell);
        const double mine = minimum_of(*ours, c.cell);
        if (c.burst >= 32 && loop.value > 0 && mine > 0 && (where.empty() || loop.value / mine < worst)) {
            worst = loop.value / mine;
            where = c.cell;
        }
    }
    return {{"at least 1.5 x a loop of single calls to the same pool, bursts of 32 and more",
             fmt::format("worst {:.2f} x, burst {}", worst, where), worst >= 1.5}};
}

} // namespace
} // namespace linn::bench::bulk

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "bulk",
                         .title = "take a burst of 64-byte objects and give it back, by its size",
                         .unit = "nanoseconds an object",
                         .samples_are_ticks = true,
                         .cells = bulk::cell_names(),
                         .contenders = {{"linn", role::ours, bulk::run_bulk},
                                        {"loop", role::peer, bulk::run_loop},
                                        {"general", role::general, bulk::run_general}},
                         .rounds = 15,
                         .judge = bulk::judge});
}
