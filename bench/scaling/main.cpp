// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <fmt/format.h>

namespace linn::bench::scaling {
namespace {

std::vector<std::string> cell_names() {
    std::vector<std::string> names;
    for (const char* load : loads) {
        for (const std::size_t threads : thread_counts) {
            names.push_back(cell_of(load, threads));
        }
    }
    return names;
}

verdict judge_load(const row& ours, const char* load) {
    const double one = minimum_of(ours, cell_of(load, 1));
    const double two = minimum_of(ours, cell_of(load, 2));
    const double rate = two > 0 ? one / two : 0;
    return {fmt::format("{}: rate of a thread at 2 threads at least 0.95 of its rate alone", load),
            fmt::format("{:.2f} (medians {:.2f})", rate,
                        median_of(ours, cell_of(load, 1)) / median_of(ours, cell_of(load, 2))),
            rate >= 0.95};
}

std::vector<verdict> judge(const results& all) {
    const row* ours = all.find(role::ours);
    if (ours == nullptr) {
        return {};
    }
    return {judge_load(*ours, loads[0]), judge_load(*ours, loads[1])};
}

} // namespace
} // namespace linn::bench::scaling

int main(int argc, char** argv) {
    using namespace linn::bench;
    return run_workload(argc, argv,
                        {.name = "scaling",
                         .title = "threads at once: hot pairs, batches, batches handed to the next thread",
                         .unit = "nanoseconds of a core a pair (flat is perfect scaling)",
                         .samples_are_ticks = true,
                         .cells = scaling::cell_names(),
                         .contenders = {{"linn", role::ours, scaling::run_linn},
                                        {"general", role::general, scaling::run_general}},
                         .rounds = 7,
                         .judge = scaling::judge});
}
