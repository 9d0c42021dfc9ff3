// SPDX-License-Identifier: Apache-2.0
#include "containers.hpp"
#include "measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::bench::containers {
namespace {

std::vector<std::string> cell_names() {
    std::vector<std::string> names;
    for (const auto* cells : {&small_cells, &large_cells}) {
        for (const phase_cells& c : *cells) {
            names.insert(names.end(), {c.insert, c.erase, c.again});
        }
    }
    return names;
}

/// How often our minimum goes into the rival's, on the whole; 0 when a cell is missing.
double mean_ratio(const row& ours, const row& rival) {
    std::vector<double> ratios;
    for (const std::string& cell : cell_names()) {
        const double mine = minimum_of(ours, cell);
        const double theirs = minimum_of(rival, cell);
        if (mine <= 0 || theirs <= 0) {
            return 0;
        }
        ratios.push_back(theirs / mine);
    }
    return tool::geometric_mean(ratios);
}

verdict judge_columns(const results& all) {
    std::size_t won = 0;
    std::string lost;
    const std::vector<std::string> cells = cell_names();
    for (const std::string& cell : cells) {
        const champion ours = all.best(role::ours, cell);
        const champion rival = all.best_rival(cell);
        if (ours.value > 0 && ours.value <= rival.value) {
            ++won;
        } else {
            lost += fmt::format(" {} ({} by {:.2f} x)", cell, rival.label, ours.value / rival.value);
        }
    }
    return {"fastest of all contenders in every column",
            fmt::format("{} of {}{}{}", won, cells.size(), lost.empty() ? "" : "; lost:", lost),
            won == cells.size()};
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    double least = 0;
    std::string whom;
    std::string others;
    for (const row* rival : all.all(role::general)) {
        const double ratio = mean_ratio(*ours, *rival);
        others += fmt::format(" {} {:.2f}", rival->label, ratio);
        if (ratio > 0 && (least <= 0 || ratio < least)) {
            least = ratio;
            whom = rival->label;
        }
    }
    return {judge_columns(all),
            {"geometric mean of all columns at least 1.15 x the best allocator",
             fmt::format("{:.2f} x {};{}", least, whom, others), least >= 1.15}};
}

} // namespace
} // namespace linn::bench::containers

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "containers",
                         .title =
                             "unordered_set<int>, map<int, int>, list<int>: insert, erase in random order, "
                             "insert again",
                         .unit = "nanoseconds an operation",
                         .samples_are_ticks = true,
                         .cells = containers::cell_names(),
                         .contenders = {{"linn", role::ours, containers::run_linn},
                                        {"pmr unsynchronized", role::peer, containers::run_pmr},
                                        {"general", role::general, containers::run_general}},
                         .rounds = 5,
                         .judge = containers::judge});
}
