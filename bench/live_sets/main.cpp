// SPDX-License-Identifier: Apache-2.0
#include "live_sets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace linn::bench::live_sets {

std::string cell_of(std::size_t size, std::size_t live, bool random) {
    return fmt::format("{} B, {} live, {}", size, live, random ? "random" : "in order");
}

namespace {

std::vector<std::string> cell_names() {
    std::vector<std::string> names;
    for (const std::size_t size : sizes) {
        for (const std::size_t live : lives) {
            names.push_back(cell_of(size, live, false));
            names.push_back(cell_of(size, live, true));
        }
    }
    return names;
}

/// The best allocator's minimum by ours: in the worst cell, and the geometric mean of all.
verdict judge_row(const results& all, std::string_view label, double each, double mean) {
    double worst = 0;
    std::string where;
    double logs = 0;
    for (const row& r : all.rows) {
        if (r.label != label) {
            continue;
        }
        for (const std::string& cell : cell_names()) {
            const champion best = all.best(role::general, cell);
            const double mine = minimum_of(r, cell);
            const double ratio = mine > 0 ? best.value / mine : 0;
            logs += std::log(ratio);
            if (where.empty() || ratio < worst) {
                worst = ratio;
                where = fmt::format("{} ({})", cell, best.label);
            }
        }
    }
    const double geometric_mean = std::exp(logs / static_cast<double>(cell_names().size()));
    return {
        fmt::format("{}: each cell at least {} x the best allocator, geometric mean {}", label, each, mean),
        fmt::format("worst {:.2f} x, {}; geometric mean {:.2f}", worst, where, geometric_mean),
        worst >= each && geometric_mean >= mean};
}

std::vector<verdict> judge(const results& all) {
    return {judge_row(all, "pool", 1.3, 1.3), judge_row(all, "resource", 1, 1.2)};
}

} // namespace
} // namespace linn::bench::live_sets

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "live-sets",
                         .title = "Live sets that are filled, written and emptied, in order and at random",
                         .unit = "nanoseconds a pair",
                         .samples_are_ticks = true,
                         .cells = live_sets::cell_names(),
                         .contenders = {{"pool", role::ours, live_sets::run_pool},
                                        {"resource", role::ours, live_sets::run_resource},
                                        {"general", role::general, live_sets::run_general}},
                         .rounds = 5,
                         .judge = live_sets::judge});
}
