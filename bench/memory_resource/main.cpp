// SPDX-License-Identifier: Apache-2.0
#include "memory_resource.hpp"

#include <fmt/format.h>

#include <string_view>

namespace linn::bench::memory_resource {
namespace {

std::vector<std::string> cell_names() {
    std::vector<std::string> names;
    for (const int threads : {1, 2}) {
        for (std::size_t load = 0; load != load_count; ++load) {
            names.push_back(cell_of(load, threads));
        }
    }
    names.emplace_back(short_lived);
    return names;
}

const row* labelled(const results& all, std::string_view label) {
    for (const row& r : all.rows) {
        if (r.label == label) {
            return &r;
        }
    }
    return nullptr;
}

/// How often our minimum goes into a rival's. Raw loads, the first three, decide: containers do other work too.
verdict judge_against(const results& all, const row& ours, std::string_view rival, int threads,
                      double target) {
    const row* other = labelled(all, rival);
    double worst = 0;
    std::string where;
    std::string others;
    for (std::size_t load = 0; other != nullptr && load != load_count; ++load) {
        const std::string cell = cell_of(load, threads);
        const double mine = minimum_of(ours, cell);
        const double ratio = mine > 0 ? minimum_of(*other, cell) / mine : 0;
        if (load < 3) {
            if (where.empty() || ratio < worst) {
                worst = ratio;
                where = loads[load];
            }
        } else {
            others += fmt::format(" {} {:.2f},", loads[load], ratio);
        }
    }
    return {fmt::format("at least {} x {}, raw, {}", target, rival, threads == 1 ? "1 thread" : "2 threads"),
            fmt::format("worst {:.2f} x, {}; containers:{}", worst, where, others), worst >= target};
}

verdict judge_general(const results& all, const row& ours) {
    double worst = 0;
    bool pass = true;
    std::string behind;
    std::string where;
    for (const std::string& cell : cell_names()) {
        if (cell == short_lived) {
            continue; // new and delete have no resource to make
        }
        const champion best = all.best(role::general, cell);
        const double mine = minimum_of(ours, cell);
        const double ratio = mine > 0 ? best.value / mine : 0;
        if (where.empty() || ratio < worst) {
            worst = ratio;
            where = fmt::format("{} ({})", cell, best.label);
        }
        if (ratio < 1) {
            pass = false;
            behind += fmt::format("; behind: {} ({} {:.2f})", cell, best.label, ratio);
        }
    }
    return {"never behind new/delete on the best allocator of each line",
            fmt::format("worst {:.2f} x, {}{}", worst, where, behind), pass};
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    return {judge_against(all, *ours, "unsynchronized", 1, 3),
            judge_against(all, *ours, "synchronized", 1, 6), judge_against(all, *ours, "synchronized", 2, 6),
            judge_general(all, *ours)};
}

} // namespace
} // namespace linn::bench::memory_resource

int main(int argc, char** argv) {
    using namespace linn::bench;
    namespace here = linn::bench::memory_resource;
    return run_workload(argc, argv,
                        {.name = "memory-resource",
                         .title = "std::pmr resources: blocks of mixed sizes, and containers",
                         .unit = "nanoseconds of a core an element (taken and given back)",
                         .samples_are_ticks = true,
                         .cells = here::cell_names(),
                         .contenders = {{"linn", role::ours, here::run_linn},
                                        {"linn over upstream", role::peer, here::run_linn_over_upstream},
                                        {"unsynchronized", role::peer, here::run_unsynchronized},
                                        {"synchronized", role::peer, here::run_synchronized},
                                        {"general", role::general, here::run_general}},
                         .rounds = 7,
                         .judge = here::judge});
}
